"""Argument checks as zod makes them, with which TypeScript servers validate.

The zod types are made again from the JSON schema that was made from them, once for each tool. They look at a call's
arguments in zod's order and report every issue; what they say is `zod3`'s or `zod4`'s. The schema does not tell
everything: two equal sizes are taken for zod's `length`, `anyOf` with null for `nullable`, with `not: {}` for `optional`;
of formats without a pattern only `uri` is looked at. Source: https://github.com/colinhacks/zod, run beside this module.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
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

    def __hash__(self) -> int: ...
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
    parse = _type_of_arguments(tool, words, words.STRICT if strict is None else strict)
    found = _Found(pattern_messages or {}, [])
    result: Arguments = parse(UNDEFINED if arguments is None else arguments, (), found)
    if found.issues:
        raise InvalidArguments(layout(found.issues))
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
class _Found:
    """What is wrong with a call's arguments so far."""

    pattern_messages: Mapping[str, str]
    issues: list[Issue]


Parse = Callable[[Any, Path, _Found], Any]
"""A type: gives the value as zod hands it on, and adds what is wrong with it to what was found."""


@cache
def _type_of_arguments(tool: Tool, words: Generation, strict: bool) -> Parse:
    return _Types(words, tool.input_schema, strict).of(tool.input_schema)


@dataclass(slots=True)
class _Types:
    """The zod types that a schema was made from, made again once for each tool."""

    words: Generation
    root: Schema
    strict: bool

    def of(self, schema: Schema) -> Parse:
        """The type that a schema stands for."""
        kind = schema.get("type")
        options = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(kind, list):
            options = [{**schema, "type": k} for k in kind]
        if "$ref" in schema:
            return partial(self._referred, schema["$ref"])
        if options:
            return self._union(options)
        if "const" in schema:
            return partial(self._literal, schema["const"])
        if "enum" in schema:
            return partial(self._enum, schema["enum"])
        match kind:
            case "object":
                return self._object(schema)
            case "array":
                return partial(self._array, schema, self.of(schema.get("items", {})))
            case "string" if schema == _ANY_TEXT:
                return self._any_text
            case "string":
                return partial(self._string, schema)
            case "number" | "integer":
                return partial(self._number, schema)
            case "boolean":
                return self._boolean
            case "null":
                return self._null
            case _:
                return self._anything

    def _referred(self, pointer: str, value: Any, path: Path, found: _Found) -> Any:
        """What a schema elsewhere stands for; it is looked up when it is met, since it may contain itself."""
        here: Any = self.root
        for step in pointer.removeprefix("#").split("/")[1:]:
            here = here[step.replace("~1", "/").replace("~0", "~")]
        return self.of(here)(value, path, found)

    def _anything(self, value: Any, path: Path, found: _Found) -> Any:
        if value is UNDEFINED and (issue := self.words.missing_anything(path)):
            found.issues.append(issue)
        return parsed(value)

    def _boolean(self, value: Any, path: Path, found: _Found) -> Any:
        if not isinstance(value, bool):
            found.issues.append(self.words.wrong_type(path, "boolean", value))
        return value

    def _null(self, value: Any, path: Path, found: _Found) -> None:
        if value is not None:
            found.issues.append(self.words.wrong_type(path, "null", value))

    def _object(self, schema: Schema) -> Parse:
        properties: dict[str, Schema] = schema.get("properties", {})
        members = {name: self.of(inner) for name, inner in properties.items()}
        defaults = {name: inner["default"] for name, inner in properties.items() if "default" in inner}
        needed = frozenset((*schema.get("required", ()), *defaults))
        additional = schema.get("additionalProperties")
        others = (
            None if additional is False or additional is None else self.of({} if additional is True else additional)
        )
        refuses_others = additional is False and self.strict
        # A record is made to JSON schema without properties, an object never.
        record = "propertyNames" in schema or (isinstance(additional, dict) and "properties" not in schema)
        words = self.words

        def parse(value: Any, path: Path, found: _Found) -> dict[str, Any] | None:
            if not isinstance(value, dict):
                found.issues.append(words.wrong_type(path, "record" if record else "object", value))
                return None
            result = {}
            for name, member in members.items():
                if name in value:
                    result[name] = member(value[name], (*path, name), found)
                elif name in needed:
                    if name in defaults:
                        result[name] = parsed(defaults[name])
                    else:
                        member(UNDEFINED, (*path, name), found)
            if value.keys() <= members.keys():
                return result
            unknown = [name for name in value if name not in members]
            if others is not None:
                result |= {name: others(value[name], (*path, name), found) for name in unknown}
            elif refuses_others:
                found.issues.append(words.unrecognized(path, unknown))
            return result

        return parse

    def _array(self, schema: Schema, item: Parse, value: Any, path: Path, found: _Found) -> list[Any] | None:
        if not isinstance(value, list):
            found.issues.append(self.words.wrong_type(path, "array", value))
            if self.words.SIZES_OF_ANYTHING:
                self._sizes(schema, value, "Items", path, found)
            return None
        if self.words.SIZES_FIRST:
            self._sizes(schema, value, "Items", path, found)
        elif len(value) > schema.get("maxItems", len(value)):
            self._sizes(schema, value, "Items", path, found)
            found.issues[-1] = replace(found.issues[-1], fatal=True, halts=True)
            return None
        before = len(found.issues)
        items = [item(inner, (*path, i), found) for i, inner in enumerate(value)]
        if not self.words.SIZES_FIRST and not any(issue.halts for issue in found.issues[before:]):
            self._sizes(schema, value, "Items", path, found)
        return items

    def _any_text(self, value: Any, path: Path, found: _Found) -> Any:
        if not isinstance(value, str):
            found.issues.append(self.words.wrong_type(path, "string", value))
        return value

    def _string(self, schema: Schema, value: Any, path: Path, found: _Found) -> str | None:
        if not isinstance(value, str):
            found.issues.append(self.words.wrong_type(path, "string", value))
            if self.words.SIZES_OF_ANYTHING:
                self._sizes(schema, value, "Length", path, found)
            return None
        self._sizes(schema, value, "Length", path, found)
        if "format" in schema:
            if not _fits_format(schema, value):
                found.issues.append(self.words.no_format(path, schema))
        elif "pattern" in schema and not matches(schema["pattern"], value):
            message = found.pattern_messages.get(dotted(path))
            found.issues.append(self.words.no_match(path, schema["pattern"], message))
        return value

    def _number(self, schema: Schema, value: Any, path: Path, found: _Found) -> float | None:
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            found.issues.append(self.words.wrong_type(path, "number", value))
            return None
        number: float = parsed(value)
        if self.words.SAFE_NUMBERS and abs(number) == float("inf"):
            found.issues.append(self.words.wrong_type(path, "number", number))
            return None
        whole = schema["type"] == "integer"
        if whole and isinstance(number, float) and not number.is_integer():
            issue = self.words.not_whole(path)
            found.issues.append(issue)
            if issue.fatal:
                return None
        safe = whole and self.words.SAFE_NUMBERS
        if safe and abs(number) > MAX_SAFE:
            limit = Limit("int", "maximum", MAX_SAFE) if number > 0 else Limit("int", "minimum", -MAX_SAFE)
            found.issues.append(self.words.out_of_bounds(path, limit))
        for keyword, bound in schema.items():
            if keyword in _BOUNDS and not (safe and abs(bound) == MAX_SAFE):
                breaks, side, inclusive = _BOUNDS[keyword]
                if breaks(number, bound):
                    found.issues.append(self.words.out_of_bounds(path, Limit("number", side, bound, inclusive)))
            elif keyword == "multipleOf" and remainder(number, bound):
                found.issues.append(self.words.no_multiple(path, bound))
        return number

    def _sizes(self, schema: Schema, value: Any, keyword: str, path: Path, found: _Found) -> None:
        """Look at a length: `keyword` is Length or Items."""
        if not isinstance(value, str | list):
            return
        size = self.words.length(value) if isinstance(value, str) else len(value)
        low, high = schema.get(f"min{keyword}"), schema.get(f"max{keyword}")
        if low is not None and size < low:
            limit = Limit(type_of(value), "minimum", low, exact=low == high)
            found.issues.append(self.words.out_of_bounds(path, limit))
        if high is not None and size > high:
            limit = Limit(type_of(value), "maximum", high, exact=low == high)
            found.issues.append(self.words.out_of_bounds(path, limit))

    def _literal(self, literal: Any, value: Any, path: Path, found: _Found) -> Any:
        value = parsed(value)
        if not same(literal, value):
            found.issues.append(self.words.no_literal(path, literal, value))
        return value

    def _enum(self, options: list[Any], value: Any, path: Path, found: _Found) -> Any:
        value = parsed(value)
        if not (isinstance(value, str) and value in options) and not any(same(option, value) for option in options):
            found.issues.append(self.words.no_option(path, options, value))
        return value

    def _union(self, options: list[Schema]) -> Parse:
        wanted = [option for option in options if option != {"not": {}}]
        nullable = len(wanted) > 1 and wanted[-1].get("type") == "null"
        types = [self.of(option) for option in (wanted[:-1] if nullable else wanted)]

        def parse(value: Any, path: Path, found: _Found) -> Any:
            if nullable and value is None:
                return None
            if len(types) == 1:
                return types[0](value, path, found)
            branches = []
            for type_ in types:
                branch = _Found(found.pattern_messages, [])
                result = type_(value, path, branch)
                if not branch.issues:
                    return result
                branches.append(branch.issues)
            found.issues += self.words.union(path, branches)
            return None

        return parse


def _fits_format(schema: Schema, value: str) -> bool:
    if schema["format"] == "uri":
        return is_url(value)
    return "pattern" not in schema or matches(schema["pattern"], value)
