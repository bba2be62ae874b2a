"""Argument checks as zod makes them, with which TypeScript servers validate.

The walk goes over the JSON schema that was made from a zod type, in zod's order, and reports every issue; what it says
is `zod3`'s or `zod4`'s. The schema does not tell everything: two equal sizes are taken for zod's `length`, `anyOf` with
null for `nullable`, with `not: {}` for `optional`. Source: https://github.com/colinhacks/zod, run beside this walk.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from soundstage.kernels.types import Arguments
from soundstage.servers.reply import indented_json
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments
from soundstage.servers.wording.javascript import (
    MAX_SAFE,
    UNDEFINED,
    is_url,
    matches,
    parsed,
    remainder,
    same,
    type_of,
)

Path = tuple[str | int, ...]
Schema = dict[str, Any]
_ANY_TEXT = {"type": "string"}
_BOUNDS: dict[str, tuple[Callable[[Any, Any], bool], str, bool]] = {
    "minimum": (operator.lt, "minimum", True),
    "maximum": (operator.gt, "maximum", True),
    "exclusiveMinimum": (operator.le, "minimum", False),
    "exclusiveMaximum": (operator.ge, "maximum", False),
}


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that zod objects to.

    `members` is its JSON form, path and message included, since each generation orders them in its own way. A `fatal`
    issue makes an option of a union the wrong one. One that `halts` leaves the length of lists around it unsaid.
    """

    path: Path
    message: str
    members: dict[str, Any]
    fatal: bool = True
    halts: bool = False


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound that was broken: `side` is minimum or maximum, `origin` what is measured (string, array, number)."""

    origin: str
    side: str
    value: float
    inclusive: bool = True
    exact: bool = False


class Generation(Protocol):
    """What differs between zod's generations; the modules `zod3` and `zod4`."""

    STRICT: bool
    """Whether `additionalProperties: false` in a schema is a strict object; else it is one that drops other keys."""
    SIZES_FIRST: bool
    """Whether the length of a list is looked at before its items; else only whether it is too long, and then no items."""
    SIZES_OF_ANYTHING: bool
    """Whether lengths are looked at in a value of a wrong type too, where it has one."""
    SAFE_NUMBERS: bool
    """Whether what is infinite is no number, and what is beyond 2^53 no whole number."""

    def length(self, text: str) -> int: ...
    def missing_anything(self, path: Path) -> Issue | None: ...
    def wrong_type(self, path: Path, expected: str, value: Any) -> Issue: ...
    def not_whole(self, path: Path) -> Issue: ...
    def out_of_bounds(self, path: Path, limit: Limit) -> Issue: ...
    def no_multiple(self, path: Path, divisor: float) -> Issue: ...
    def no_option(self, path: Path, options: list[Any], value: Any) -> Issue: ...
    def no_literal(self, path: Path, literal: Any, value: Any) -> Issue: ...
    def no_match(self, path: Path, pattern: str, message: str | None) -> Issue: ...
    def no_format(self, path: Path, schema: Schema) -> Issue: ...
    def unrecognized(self, path: Path, keys: list[str]) -> Issue: ...
    def union(self, path: Path, branches: list[list[Issue]]) -> list[Issue]: ...


Layout = Callable[[Sequence[Issue]], str]


def check(
    tool: Tool,
    arguments: Arguments | None,
    words: Generation,
    layout: Layout,
    *,
    strict: bool | None = None,
    pattern_messages: Mapping[str, str] | None = None,
) -> Arguments:
    """The arguments as zod hands them on; None stands for `undefined`, which a client without arguments sent.

    `strict` overrides what `additionalProperties: false` means; `pattern_messages` are a schema's own words for patterns,
    by dotted path.

    Raises:
        InvalidArguments: with every issue, laid out.
    """
    walk = _Walk(words, tool.input_schema, words.STRICT if strict is None else strict, pattern_messages or {}, [])
    result: Arguments = walk.parse(tool.input_schema, UNDEFINED if arguments is None else arguments, ())
    if walk.issues:
        raise InvalidArguments(layout(walk.issues))
    return result


def as_json(issues: Sequence[Issue]) -> str:
    """`error.message` of a ZodError."""
    return indented_json([issue.members for issue in issues])


def at_paths(issues: Sequence[Issue]) -> str:
    """A line for each issue, as the MCP SDK lays them out from 1.30 on."""
    return "\n".join(f"{i.message} at {dotted(i.path)}" if i.path else i.message for i in issues)


def by_paths(issues: Sequence[Issue]) -> str:
    """One sentence with the paths in front, as the MCP SDK 2 lays them out."""
    return ", ".join(f"{'.'.join(map(str, i.path))}: {i.message}" if i.path else i.message for i in issues)


def by_paths_from_root(issues: Sequence[Issue]) -> str:
    """The same as the TypeScript FastMCP lays it out: the arguments as a whole are `root`."""
    return ", ".join(f"{'.'.join(map(str, i.path)) or 'root'}: {i.message}" for i in issues)


def dotted(path: Path) -> str:
    """A path as the MCP SDK writes it: `data.records[0].fields`."""
    text = str(path[0]) if path else ""
    for step in path[1:]:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text


@dataclass(slots=True)
class _Walk:
    words: Generation
    root: Schema
    strict: bool
    pattern_messages: Mapping[str, str]
    issues: list[Issue]

    def parse(self, schema: Schema, value: Any, path: Path) -> Any:
        """The value as zod hands it on. What is wrong with it goes to `issues`."""
        if schema == _ANY_TEXT and isinstance(value, str):  # most arguments; not worth a closer look
            return value
        kind = schema.get("type")
        if kind == "object":
            return self._object(schema, value, path)
        if "$ref" in schema:
            return self.parse(self._at(schema["$ref"]), value, path)
        options = schema.get("anyOf") or schema.get("oneOf")
        if options:
            return self._union(options, value, path)
        if "const" in schema:
            return self._literal(schema["const"], value, path)
        if "enum" in schema:
            return self._enum(schema["enum"], value, path)
        if isinstance(kind, list):
            return self._union([{**schema, "type": k} for k in kind], value, path)
        match kind:
            case "array":
                return self._array(schema, value, path)
            case "string":
                return self._string(schema, value, path)
            case "number" | "integer":
                return self._number(schema, value, path)
            case "boolean" if not isinstance(value, bool):
                self._wrong_type("boolean", value, path)
            case "null" if value is not None:
                self._wrong_type("null", value, path)
            case None if value is UNDEFINED:
                issue = self.words.missing_anything(path)
                self.issues += [] if issue is None else [issue]
        return parsed(value)

    def _at(self, pointer: str) -> Schema:
        here: Any = self.root
        for step in pointer.removeprefix("#").split("/")[1:]:
            here = here[step.replace("~1", "/").replace("~0", "~")]
        found: Schema = here
        return found

    def _wrong_type(self, expected: str, value: Any, path: Path) -> None:
        self.issues.append(self.words.wrong_type(path, expected, value))

    def _object(self, schema: Schema, value: Any, path: Path) -> dict[str, Any] | None:
        properties = schema.get("properties", {})
        additional = schema.get("additionalProperties")
        if not isinstance(value, dict):
            # A record is made to JSON schema without properties, an object never.
            record = "propertyNames" in schema or (isinstance(additional, dict) and "properties" not in schema)
            self._wrong_type("record" if record else "object", value, path)
            return None
        members = {}
        required = schema.get("required", ())
        for name, inner in properties.items():
            if name in value:
                members[name] = self.parse(inner, value[name], (*path, name))
            elif "default" in inner:
                members[name] = parsed(inner["default"])
            elif name in required:
                self.parse(inner, UNDEFINED, (*path, name))
        unknown = [] if value.keys() <= properties.keys() else [name for name in value if name not in properties]
        if additional is False:
            if unknown and self.strict:
                self.issues.append(self.words.unrecognized(path, unknown))
        elif additional is not None:
            inner = additional if isinstance(additional, dict) else {}
            members |= {name: self.parse(inner, value[name], (*path, name)) for name in unknown}
        return members

    def _array(self, schema: Schema, value: Any, path: Path) -> list[Any] | None:
        if not isinstance(value, list):
            self._wrong_type("array", value, path)
            if self.words.SIZES_OF_ANYTHING:
                self._sizes(schema, value, "Items", path)
            return None
        inner = schema.get("items", {})
        if self.words.SIZES_FIRST:
            self._sizes(schema, value, "Items", path)
        elif len(value) > schema.get("maxItems", len(value)):
            self._sizes(schema, value, "Items", path)
            self.issues[-1] = replace(self.issues[-1], fatal=True, halts=True)
            return None
        before = len(self.issues)
        items = [self.parse(inner, item, (*path, i)) for i, item in enumerate(value)]
        if not self.words.SIZES_FIRST and not any(issue.halts for issue in self.issues[before:]):
            self._sizes(schema, value, "Items", path)
        return items

    def _string(self, schema: Schema, value: Any, path: Path) -> str | None:
        if not isinstance(value, str):
            self._wrong_type("string", value, path)
            if self.words.SIZES_OF_ANYTHING:
                self._sizes(schema, value, "Length", path)
            return None
        self._sizes(schema, value, "Length", path)
        if "format" in schema:
            if not _fits_format(schema, value):
                self.issues.append(self.words.no_format(path, schema))
        elif "pattern" in schema and not matches(schema["pattern"], value):
            message = self.pattern_messages.get(dotted(path))
            self.issues.append(self.words.no_match(path, schema["pattern"], message))
        return value

    def _number(self, schema: Schema, value: Any, path: Path) -> float | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._wrong_type("number", value, path)
            return None
        value = parsed(value)
        if self.words.SAFE_NUMBERS and abs(value) == float("inf"):
            self._wrong_type("number", value, path)
            return None
        whole = schema["type"] == "integer"
        if whole and isinstance(value, float) and not value.is_integer():
            issue = self.words.not_whole(path)
            self.issues.append(issue)
            if issue.fatal:
                return None
        safe = whole and self.words.SAFE_NUMBERS
        if safe and abs(value) > MAX_SAFE:
            side = "maximum" if value > 0 else "minimum"
            self.issues.append(self.words.out_of_bounds(path, Limit("int", side, MAX_SAFE if value > 0 else -MAX_SAFE)))
        for keyword, limit in schema.items():
            if keyword in _BOUNDS and not (safe and abs(limit) == MAX_SAFE):
                breaks, side, inclusive = _BOUNDS[keyword]
                if breaks(value, limit):
                    self.issues.append(self.words.out_of_bounds(path, Limit("number", side, limit, inclusive)))
            elif keyword == "multipleOf" and remainder(value, limit):
                self.issues.append(self.words.no_multiple(path, limit))
        return float(value) if isinstance(value, float) else int(value)

    def _sizes(self, schema: Schema, value: Any, keyword: str, path: Path) -> None:
        """Look at a length: `keyword` is Length or Items."""
        if not isinstance(value, str | list):
            return
        size = self.words.length(value) if isinstance(value, str) else len(value)
        low, high = schema.get(f"min{keyword}"), schema.get(f"max{keyword}")
        if low is not None and size < low:
            self.issues.append(self.words.out_of_bounds(path, Limit(type_of(value), "minimum", low, exact=low == high)))
        if high is not None and size > high:
            self.issues.append(
                self.words.out_of_bounds(path, Limit(type_of(value), "maximum", high, exact=low == high))
            )

    def _literal(self, literal: Any, value: Any, path: Path) -> Any:
        value = parsed(value)
        if not same(literal, value):
            self.issues.append(self.words.no_literal(path, literal, value))
        return value

    def _enum(self, options: list[Any], value: Any, path: Path) -> Any:
        value = parsed(value)
        if not (isinstance(value, str) and value in options) and not any(same(option, value) for option in options):
            self.issues.append(self.words.no_option(path, options, value))
        return value

    def _union(self, options: list[Schema], value: Any, path: Path) -> Any:
        wanted = [option for option in options if option != {"not": {}}]
        if len(wanted) > 1 and wanted[-1].get("type") == "null":
            if value is None:
                return None
            wanted.pop()
        if len(wanted) == 1:
            return self.parse(wanted[0], value, path)
        branches = []
        for option in wanted:
            branch = _Walk(self.words, self.root, self.strict, self.pattern_messages, [])
            result = branch.parse(option, value, path)
            if not branch.issues:
                return result
            branches.append(branch.issues)
        self.issues += self.words.union(path, branches)
        return None


def _fits_format(schema: Schema, value: str) -> bool:
    if schema["format"] == "uri":
        return is_url(value)
    return "pattern" not in schema or matches(schema["pattern"], value)
