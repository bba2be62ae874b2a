"""Calls that any app's tools can be given: arguments made from their schemas, and broken ones."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

from soundstage.servers.tool import Tool

_TEXTS = (
    "",
    "x",
    "primary",
    "日本語 😀",
    "\x00",
    "a" * 300,
    "-1",
    "0",
    "1795420800",
    "9" * 30,
    '{"text":"hi"}',
    "%s",
    "'; --",
)
_NUMBERS = (0, 1, -1, 2, 10, 50, 1000, 2**31, -(2**63), 2**63 - 1, 1.5, 1e308, -0.0)
_WRONG: tuple[Any, ...] = (None, True, 0, -1.5, "", "wrong", [], {}, [[]], {"": None})


class ArgumentMaker:
    """Makes arguments for tools, with keys and texts that occur in a session's state mixed in."""

    def __init__(self, seed: int, known_texts: list[str]) -> None:
        self.random = random.Random(seed)
        self._known = known_texts or ["x"]

    def fitting(self, tool: Tool) -> dict[str, Any]:
        """Arguments that the schema allows."""
        made: dict[str, Any] = self._value(tool.input_schema, 0)
        return made

    def broken(self, tool: Tool) -> dict[str, Any]:
        """Arguments with something amiss somewhere: a wrong type, a missing or an extra member."""
        made = self.fitting(tool)
        for _ in range(self.random.randint(1, 3)):
            holder = self.random.choice([made, *_objects(made)])
            if holder and self.random.random() < 0.4:
                del holder[self.random.choice(list(holder))]
            else:
                names = [*holder, "extra", "__proto__", ""]
                holder[self.random.choice(names)] = copy.deepcopy(self.random.choice(_WRONG))
        return made

    def _value(self, schema: dict[str, Any], depth: int) -> Any:
        options = schema.get("anyOf") or schema.get("oneOf")
        if options:
            return self._value(self.random.choice(options), depth)
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        if "const" in schema:
            return schema["const"]
        kind = schema.get("type")
        match self.random.choice(kind) if isinstance(kind, list) else kind:
            case "object":
                return self._object(schema, depth)
            case "array":
                count = self.random.choice((0, 1, 1, 2, 3)) if depth < 6 else 0
                count = max(count, schema.get("minItems", 0))
                return [self._value(schema.get("items", {}), depth + 1) for _ in range(count)]
            case "string":
                text = self.random.choice((self.random.choice(_TEXTS), self.random.choice(self._known)))
                return text[: schema.get("maxLength", len(text))].ljust(schema.get("minLength", 0), "x")
            case "number":
                return self._number(schema, self.random.choice(_NUMBERS))
            case "integer":
                return self._number(schema, int(self.random.choice([n for n in _NUMBERS if abs(n) < 2**63])))
            case "boolean":
                return self.random.random() < 0.5
            case "null":
                return None
            case _:
                return copy.deepcopy(self.random.choice((*_TEXTS, *_NUMBERS, *_WRONG)))

    def _number(self, schema: dict[str, Any], value: float) -> float:
        low, high = (
            schema.get("minimum", schema.get("exclusiveMinimum")),
            schema.get("maximum", schema.get("exclusiveMaximum")),
        )
        if (low is not None and value <= low) or (high is not None and value >= high):
            return (low if low is not None else high - 2) + 1
        return value

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required", [])
        made = {
            name: self._value(inner, depth + 1)
            for name, inner in schema.get("properties", {}).items()
            if name in required or self.random.random() < (0.7 if depth < 2 else 0.4)
        }
        if schema.get("additionalProperties") not in (None, False) and not made:
            made = {
                self.random.choice(self._known): self._value({}, depth + 1) for _ in range(self.random.randint(0, 2))
            }
        return made


def texts_of(value: Any) -> Iterator[str]:
    """Every text in a JSON value, such as the ids of a state."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item)


def _objects(value: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if isinstance(value, dict):
        found.append(value)
        for item in value.values():
            found += _objects(item)
    elif isinstance(value, list):
        for item in value:
            found += _objects(item)
    return found
