"""Generate arguments for the tools of any app from their schemas, both valid and broken ones."""

from __future__ import annotations

import copy
import json
import random
import re
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

_ODD: tuple[Any, ...] = (
    "é" * 20_000, "👨‍👩‍👧‍👦" * 60, "\u202eedoc", "İßﬃ", " ", "\n", "\r\n\t", "null", "NaN",
    "1e400", "../../etc/passwd", "a/../b", "[", "%00",
    "2026-02-30", "2026-11-20T08:00:00+24:00", "𝟙", "٣", "<b>x", "\ufeff", 10**18, 1e-7, -0.5, 1e21, ["x"] * 300,
    {"a": {"b": {"c": [None]}}}, [None], [[1], {}],
)  # fmt: skip
"""Unusual values that many schemas allow."""
_MOST_VALUES = 500
"""Maximum number of values remembered per name."""
_LONGEST = 200
_READ = 20_000
_LABELLED = re.compile(r"([A-Za-z_]{2,20})(?:\*\*)?[:=]\s*[`\"']?([^\s,;`\"')|]{1,80})")
"""Matches a label and its value, as in `Message ID: 12`."""
_IDS = re.compile(r"[A-Za-z0-9_-]*\d[A-Za-z0-9_-]{2,40}")


class ArgumentMaker:
    """Generates arguments for tools and mixes in keys and texts that occur in a session's state."""

    def __init__(self, seed: int, known_texts: list[str]) -> None:
        self.random = random.Random(seed)
        self._known = known_texts or ["x"]
        self._optional = (0.7, 0.4)  # probability that an optional member is present: at the top two levels, and deeper

    def fitting(self, tool: Tool) -> dict[str, Any]:
        """Return arguments that the schema allows."""
        made: dict[str, Any] = self._value(tool.input_schema, 0)
        return made

    def broken(self, tool: Tool) -> dict[str, Any]:
        """Return arguments with one defect: a wrong type, a missing member or an extra one."""
        made = self.fitting(tool)
        for _ in range(self.random.randint(1, 3)):
            holder = self.random.choice([made, *_objects(made)])
            if holder and self.random.random() < 0.4:
                del holder[self.random.choice(list(holder))]
            else:
                names = [*holder, "extra", "__proto__", ""]
                holder[self.random.choice(names)] = copy.deepcopy(self.random.choice(_WRONG))
        return made

    def _member(self, name: str, schema: dict[str, Any], depth: int) -> Any:
        return self._value(schema, depth)

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
            name: self._member(name, inner, depth + 1)
            for name, inner in schema.get("properties", {}).items()
            if name in required or self.random.random() < self._optional[depth >= 2]
        }
        if schema.get("additionalProperties") not in (None, False) and not made:
            made = {
                self.random.choice(self._known): self._value({}, depth + 1) for _ in range(self.random.randint(0, 2))
            }
        return made


class LearningMaker(ArgumentMaker):
    """Generates arguments from values that it has seen. A member called `channel_id` mostly gets a value that a state or a reply
    had under that name, or the `id` of a channel. So calls reach existing objects and objects that earlier calls created.
    """

    def __init__(self, seed: int, state: dict[str, list[dict[str, Any]]]) -> None:
        super().__init__(seed, sorted({text for text in texts_of(state) if len(text) < 100})[:_MOST_VALUES])
        self._by_name: dict[str, list[str | int]] = {}
        self._suggested: dict[str, list[str | int]] = {}
        for entity, objects in state.items():
            for one in objects:
                for name, value in one.items():
                    if isinstance(value, (str, int)) and name in ("id", "key", "name", "path", "title", "username"):
                        self._keep(entity + name, value)
                        self._keep(entity, value)
                self.learn(one)

    def fitting(self, tool: Tool) -> dict[str, Any]:
        self._optional = self.random.choice(((0.05, 0.05), (0.3, 0.3), (0.8, 0.4)))
        return super().fitting(tool)

    def odd(self, tool: Tool) -> dict[str, Any]:
        """Return arguments in which one member has an unusual value."""
        made = self.fitting(tool)
        holder = self.random.choice([made, *_objects(made)])
        names = [*holder, *(tool.input_schema.get("properties", {}) if holder is made else ())]
        if names:
            holder[self.random.choice(names)] = copy.deepcopy(self.random.choice(_ODD))
        return made

    def suggest(self, arguments: Any) -> None:
        """Learn from arguments from another source, some of which may fit: a search, a place, a currency."""
        self._by_name, self._suggested = self._suggested, self._by_name
        self.learn(arguments)
        self._by_name, self._suggested = self._suggested, self._by_name

    def learn(self, value: Any, name: str = "") -> None:
        """Learn the values of a reply under the names that it gives them. Text that is not JSON is searched for words that look
        like ids.
        """
        if isinstance(value, dict):
            for inner, item in value.items():
                self.learn(item, inner)
        elif isinstance(value, list):
            for item in value[:_MOST_VALUES]:
                self.learn(item, name)
        elif isinstance(value, (str, int)) and not isinstance(value, bool):
            self._keep(name, value)

    def learn_text(self, text: str) -> None:
        """Learn from the text of a reply, whether it is JSON or prose."""
        try:
            reply = json.loads(text)
        except ValueError:
            for name, word in _LABELLED.findall(text[:_READ]):
                self._keep(name, word)
            for word in _IDS.findall(text[:_READ]):
                self._keep("id", word)
        else:
            self.learn(reply)

    def _keep(self, name: str, value: str | int) -> None:
        if isinstance(value, str) and not 0 < len(value) <= _LONGEST:
            return
        values = self._by_name.setdefault(_plain(name), [])
        if value in values:
            return
        if len(values) < _MOST_VALUES:
            values.append(value)
        else:
            values[self.random.randrange(_MOST_VALUES)] = value

    def _member(self, name: str, schema: dict[str, Any], depth: int) -> Any:
        kind = schema.get("type")
        if "enum" not in schema and self.random.random() < 0.85:
            wanted = {"string": (str, int), "integer": (int,), "number": (int,)}.get(
                kind if isinstance(kind, str) else ""
            )
            if wanted is None and kind is not None and kind not in ("array", "object"):
                wanted = (str, int)
            if wanted is not None and (known := self._known_as(_plain(name), wanted)) is not None:
                return str(known) if kind == "string" else known
            if kind == "array" and schema.get("items", {}).get("type") in ("string", "integer", "number"):
                wanted = (str, int) if schema["items"]["type"] == "string" else (int,)
                plain = self.random.choice((_plain(name), _plain(name).rstrip("s")))
                some = [self._known_as(plain, wanted) for _ in range(self.random.choice((1, 1, 2, 3)))]
                if all(one is not None for one in some):
                    return [str(one) if schema["items"]["type"] == "string" else one for one in some]
        return self._value(schema, depth)

    def _known_as(self, name: str, kinds: tuple[type, ...]) -> str | int | None:
        exact, suggested = self._by_name.get(name, []), self._suggested.get(name, [])
        near = [
            value
            for known, values in self._by_name.items()
            if (len(known) > 3 or known == "id") and name.endswith(known)
            for value in values
        ]
        for values, chance in ((exact, 0.75), (suggested, 0.4 if exact else 0.7), (near, 0.9)):
            fitting = [value for value in values if isinstance(value, kinds)]
            if fitting and self.random.random() < chance:
                return self.random.choice(fitting)
        return None


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower().replace("server", "guild")


def texts_of(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, such as the ids of a state."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item)


def _objects(value: Any) -> list[dict[str, Any]]:
    objects: list[dict[str, Any]] = []
    if isinstance(value, dict):
        objects.append(value)
        for item in value.values():
            objects += _objects(item)
    elif isinstance(value, list):
        for item in value:
            objects += _objects(item)
    return objects
