"""Build arguments that a tool's schema allows: the required ones, and a set for each choice that the schema leaves open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import jsonschema_rs

from soundstage.synthesis.traverse.goals import ALL, EXISTING, NEW, OTHER, Goal
from soundstage.synthesis.traverse.places import at_path, put_at
from soundstage.synthesis.traverse.recording import Reference
from soundstage.synthesis.traverse.values import Bank, Value, is_path, quoted_examples, stock

Schema = Mapping[str, Any]

_KINDS: dict[str, type] = {"string": str, "integer": int, "number": float, "boolean": bool}
_FORMATS = {
    "date-time": "2026-11-20T09:00:00Z", "date": "2026-11-20", "time": "09:00:00Z", "email": "lin.harbour@mail.example",
    "uri": "https://harbour.example/notes", "url": "https://harbour.example/notes",
    "uuid": "3f0c6f0e-5a3b-4b1e-9c55-0d8f5e7a1b20",
    "ipv4": "192.0.2.7", "ipv6": "2001:db8::7", "hostname": "harbour.example",
}  # fmt: skip
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Draft:
    """Arguments for a call, with its goal and the sources of its values."""

    goal: Goal
    arguments: dict[str, Any]
    refs: Mapping[str, Reference] = field(default_factory=dict)


@dataclass(slots=True)
class Chooser:
    """Chooses argument values for one tool.

    Sources are the plan's `sentinels`, the episode's replies (with `existing`), the schema or description, and neutral values,
    which depend on `vary`.
    """

    tool: str
    bank: Bank
    sentinels: Mapping[str, Any] = field(default_factory=dict)
    existing: bool = True
    number: int = 0
    vary: int = 0
    refs: dict[str, Reference] = field(default_factory=dict)
    _near: str | None = None

    def scalar(self, place: str, schema: Schema, kind: type) -> Value:
        """Return a value for a place of the arguments; a value from a reply is recorded in `refs`."""
        given: Any = next(
            (v for n, v in self.sentinels.items() if place == f"$.{n}" or place.startswith(f"$.{n}[")), None
        )
        if isinstance(given, str | int | float):
            return given
        for name in ("const", "default"):
            if isinstance(schema.get(name), kind):
                return schema[name]  # type: ignore[no-any-return]
        if schema.get("enum"):
            return schema["enum"][self.number % len(schema["enum"])]  # type: ignore[no-any-return]
        if self.existing and kind is not bool:
            fitting = self.bank.fitting(self.tool, place, kind, self._near)
            if fitting:
                known = fitting[min(self.number, len(fitting) - 1)]
                if known.reference is not None:
                    self.refs[place] = known.reference
                self._near = known.place
                return known.value
        examples: list[Any] = [value for value in schema.get("examples", ()) if isinstance(value, kind)]
        if examples:
            return examples[self.number % len(examples)]  # type: ignore[no-any-return]
        if kind is bool:
            return True
        if kind is str:
            if (form := schema.get("format")) in _FORMATS:
                return _FORMATS[form]
            if quoted := quoted_examples(schema.get("description", "")):
                return quoted[self.number % len(quoted)]
            if self.existing and (texts := self.bank.reply_words(place)):
                return texts[(self.number + self.vary) % len(texts)]
            number = self.number + (0 if is_path(place) else self.vary)
            return _long_enough(str(stock(place, str, number, self.tool)), schema)
        return _within(stock(place, kind, self.number + self.vary), schema, kind)


def _long_enough(text: str, schema: Schema) -> str:
    while len(text) < int(schema.get("minLength", 0)):
        text += " " + text
    return text[: int(schema.get("maxLength", len(text)))]


def _within(value: Value, schema: Schema, kind: type) -> Value:
    low, high = (
        schema.get("minimum", schema.get("exclusiveMinimum")),
        schema.get("maximum", schema.get("exclusiveMaximum")),
    )
    number = float(value)
    if low is not None and number <= float(low):
        number = float(low) + (1 if "exclusiveMinimum" in schema else 0)
    if high is not None and number >= float(high):
        number = float(high) - (1 if "exclusiveMaximum" in schema else 0)
    return kind(number)  # type: ignore[no-any-return]


def schema_of(tool: Mapping[str, Any]) -> Schema:
    """Return a tool's input schema."""
    schema: Schema = tool.get("inputSchema") or {"type": "object"}
    return schema


def resolved(schema: Any, root: Schema) -> Schema:
    """Resolve references and choices: `anyOf` and `oneOf` to their first non-null part, `allOf` to all parts merged."""
    for _ in range(_DEEPEST):
        if not isinstance(schema, Mapping):
            return {}
        if "$ref" in schema:
            target: Any = root
            for name in str(schema["$ref"]).removeprefix("#/").split("/"):
                target = target.get(name, {}) if isinstance(target, Mapping) else {}
            schema = {**target, **{k: v for k, v in schema.items() if k != "$ref"}}
        elif "allOf" in schema:
            merged: dict[str, Any] = {k: v for k, v in schema.items() if k != "allOf"}
            for part in schema["allOf"]:
                part = resolved(part, root)
                merged = {
                    **part,
                    **merged,
                    "properties": {**part.get("properties", {}), **merged.get("properties", {})},
                }
            schema = merged
        elif choices := schema.get("anyOf") or schema.get("oneOf"):
            chosen: Any = next((c for c in choices if not (isinstance(c, Mapping) and c.get("type") == "null")), {})
            rest = {k: v for k, v in schema.items() if k not in ("anyOf", "oneOf")}
            schema = {**rest, **(chosen if isinstance(chosen, Mapping) else {})}
        else:
            return schema
    return schema  # type: ignore[no-any-return]


def kind_of(schema: Schema) -> str:
    """Return the JSON type of a resolved schema; the first non-null one of several."""
    named = schema.get("type")
    if isinstance(named, list):
        named = next((one for one in named if one != "null"), None)
    if named is not None:
        return str(named)
    if "properties" in schema:
        return "object"
    sample = schema.get("const", next(iter(schema.get("enum", ())), None))
    return {bool: "boolean", int: "integer", float: "number"}.get(type(sample), "string")


def build(schema: Schema, root: Schema, place: str, chooser: Chooser, *, optional: bool = False, deep: int = 0) -> Any:
    """Build the smallest value that a schema allows; with `optional`, a value with all declared members."""
    schema = resolved(schema, root)
    kind = kind_of(schema)
    if kind == "object":
        required = schema.get("required", ())
        wanted = [n for n in schema.get("properties", {}) if n in required or (optional and deep < _DEEPEST)]
        return {
            name: build(schema["properties"][name], root, f"{place}.{name}", chooser, optional=optional, deep=deep + 1)
            for name in wanted
        }
    if kind == "array":
        least = max(1, int(schema.get("minItems", 1)))
        items = schema.get("items", {})
        return [build(items, root, f"{place}[{i}]", chooser, optional=optional, deep=deep + 1) for i in range(least)]
    if kind == "null":
        return None
    return chooser.scalar(place, schema, _KINDS.get(kind, str))


def drafts(tool: Mapping[str, Any], bank: Bank, sentinels: Mapping[str, Any], vary: int = 0) -> Iterator[Draft]:
    """Yield sets of arguments that the schema allows, by the behaviour they show.

    They are: the required ones with existing and with new values; each optional member alone; each value of an enumeration; all
    members; two items per list, and the same item twice. Another `vary` invents other values.
    """
    root, name = schema_of(tool), str(tool["name"])

    def made(goal: Goal, *, existing: bool, optional: bool = False, number: int = 0) -> Draft:
        chooser = Chooser(name, bank, sentinels, existing, number, vary)
        return Draft(goal, build(root, root, "$", chooser, optional=optional) or {}, chooser.refs)

    least = made(EXISTING, existing=True)
    yield least
    if resolved(root, root).get("properties"):
        yield made(NEW, existing=False)
        yield made(OTHER, existing=True, number=1)
    for place, schema in optional_places(root, least.arguments):
        chooser = Chooser(name, bank, sentinels, True, 0, vary)
        value = build(schema, root, place, chooser)
        yield Draft(Goal("optional", place), put_at(least.arguments, place, value), {**least.refs, **chooser.refs})
        for other in [choice for choice in schema.get("enum", ()) if choice != value]:
            yield Draft(Goal("enum", f"{place}={other}"), put_at(least.arguments, place, other), least.refs)
    for place, schema in scalar_places(root, least.arguments):
        for value in schema.get("enum", ()):
            yield Draft(
                Goal("enum", f"{place}={value}"), put_at(least.arguments, place, value), _without(least.refs, place)
            )
        if kind_of(schema) == "boolean":
            yield Draft(Goal("enum", f"{place}=false"), put_at(least.arguments, place, False), least.refs)
    if any(True for _ in optional_places(root, least.arguments)):
        yield made(ALL, existing=True, optional=True)
    for place, items in list_places(root, least.arguments):
        second = Chooser(name, bank, sentinels, False, 1, vary)
        more = [*at_path(least.arguments, place), build(items, root, f"{place}[1]", second)]
        yield Draft(Goal("many", place), put_at(least.arguments, place, more), least.refs)
        twin = build(items, root, f"{place}[0]", Chooser(name, bank, sentinels, False, 2, vary))
        left = {p: r for p, r in least.refs.items() if not p.startswith(f"{place}[")}
        yield Draft(Goal("twice", place), put_at(least.arguments, place, [twin, twin]), left)


def _without(refs: Mapping[str, Reference], place: str) -> dict[str, Reference]:
    return {p: r for p, r in refs.items() if p != place}


def optional_places(root: Schema, arguments: Any) -> Iterator[tuple[str, Schema]]:
    """Yield the members that could be added to arguments, with their schemas."""
    for place, schema, value in _objects(root, arguments):
        for name, member in schema.get("properties", {}).items():
            if name not in value and name not in schema.get("required", ()):
                yield f"{place}.{name}", resolved(member, root)


def scalar_places(root: Schema, arguments: Any) -> Iterator[tuple[str, Schema]]:
    """Yield the scalars of arguments, with their schemas."""
    for place, schema in all_places(root, arguments):
        if kind_of(schema) not in ("object", "array"):
            yield place, schema


def list_places(root: Schema, arguments: Any) -> Iterator[tuple[str, Schema]]:
    """Yield the lists of arguments, with the schema of their items."""
    for place, schema in all_places(root, arguments):
        if kind_of(schema) == "array":
            yield place, schema.get("items", {})


def all_places(root: Schema, arguments: Any) -> Iterator[tuple[str, Schema]]:
    """Yield every place inside arguments, with its resolved schema; only the first item of a list."""

    def walk(schema: Any, value: Any, place: str) -> Iterator[tuple[str, Schema]]:
        schema = resolved(schema, root)
        if place != "$":
            yield place, schema
        if isinstance(value, dict):
            for name, item in value.items():
                yield from walk(schema.get("properties", {}).get(name, {}), item, f"{place}.{name}")
        elif isinstance(value, list) and value:
            yield from walk(schema.get("items", {}), value[0], f"{place}[0]")

    yield from walk(root, arguments, "$")


def _objects(root: Schema, arguments: Any) -> Iterator[tuple[str, Schema, dict[str, Any]]]:
    if isinstance(arguments, dict):
        yield "$", resolved(root, root), arguments
    for place, schema in all_places(root, arguments):
        value = at_path(arguments, place)
        if isinstance(value, dict):
            yield place, schema, value


def required_places(root: Schema, arguments: Any) -> Iterator[str]:
    """Yield the required members of arguments."""
    for place, schema, value in _objects(root, arguments):
        yield from (f"{place}.{name}" for name in schema.get("required", ()) if name in value)


def allows(tool: Mapping[str, Any], arguments: Any) -> bool:
    """Whether a tool's schema allows arguments; an invalid schema allows everything."""
    try:
        return bool(jsonschema_rs.is_valid(dict(schema_of(tool)), arguments))
    except (ValueError, jsonschema_rs.ReferencingError):
        return True
