"""Argument validation like zod, which TypeScript servers use.

The zod types are reconstructed once per tool from the JSON schema that was generated from them. They validate in zod's order
and report every issue in the words of `zod3` or `zod4`. The schema is not complete: two equal sizes are treated as zod's
`length`, `anyOf` with null as `nullable`, with `not: {}` as `optional`; of formats without a pattern only `uri` is validated.
Source: https://github.com/colinhacks/zod, compared with this module.
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
    """A validation issue.

    `members` is its JSON form including path and message, in the order of the generation. A `fatal` issue rules out an option
    of a union. An issue that `halts` suppresses length checks of surrounding lists.
    """

    path: Path
    message: str
    members: dict[str, Any]
    fatal: bool = True
    halts: bool = False


@dataclass(frozen=True, slots=True)
class Limit:
    """A violated bound: `side` is minimum or maximum, `origin` is the measured type (string, array, number)."""

    origin: str
    side: str
    value: float
    inclusive: bool = True
    exact: bool = False


class Generation(Protocol):
    """The differences between zod's generations, which the modules `zod3` and `zod4` implement."""

    STRICT: bool
    """Whether `additionalProperties: false` in a schema means a strict object; otherwise unknown keys are dropped."""
    SIZES_FIRST: bool
    """Whether a list's length is checked before its items; otherwise only its maximum is, and a violation skips the items."""
    SIZES_OF_ANYTHING: bool
    """Whether lengths are also checked for values of a wrong type that have one."""
    SAFE_NUMBERS: bool
    """Whether infinite values are invalid numbers, and values beyond 2^53 invalid integers."""

    def __hash__(self) -> int:
        """Return the hash, by which types are cached."""
        ...

    def length(self, text: str) -> int:
        """Return the length of a string."""
        ...

    def missing_anything(self, path: Path) -> Issue | None:
        """Return the issue of a missing value of any type, if that is invalid."""
        ...

    def wrong_type(self, path: Path, expected: str, value: Any) -> Issue:
        """Return the issue of a wrong type."""
        ...

    def not_whole(self, path: Path) -> Issue:
        """Return the issue of a fractional number."""
        ...

    def out_of_bounds(self, path: Path, limit: Limit) -> Issue:
        """Return the issue of a violated bound."""
        ...

    def no_multiple(self, path: Path, divisor: float) -> Issue:
        """Return the issue of a number that is not a multiple."""
        ...

    def no_option(self, path: Path, options: list[Any], value: Any) -> Issue:
        """Return the issue of a value that is not an option of an enumeration."""
        ...

    def no_literal(self, path: Path, literal: Any, value: Any) -> Issue:
        """Return the issue of a value that differs from a literal."""
        ...

    def no_match(self, path: Path, pattern: str, message: str | None) -> Issue:
        """Return the issue of a string that does not match a pattern."""
        ...

    def no_format(self, path: Path, schema: Schema) -> Issue:
        """Return the issue of a string with an invalid format."""
        ...

    def unrecognized(self, path: Path, keys: list[str]) -> Issue:
        """Return the issue of unknown keys in a strict object."""
        ...

    def union(self, path: Path, branches: list[list[Issue]]) -> list[Issue]:
        """Return the issues of a union of which no option matches."""
        ...


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
    """Return the arguments as zod outputs them; None represents `undefined`, which clients without arguments send.

    `strict` overrides the meaning of `additionalProperties: false`; `pattern_messages` are a schema's custom messages for
    patterns, by dotted path.

    Raises:
        InvalidArguments: All issues, formatted by `layout`.
    """
    parse = _type_of_arguments(tool, words, words.STRICT if strict is None else strict)
    results = _Match(pattern_messages or {}, [])
    result: Arguments = parse(UNDEFINED if arguments is None else arguments, (), results)
    if results.issues:
        raise InvalidArguments(layout(results.issues))
    return result


def as_json(issues: Sequence[Issue]) -> str:
    """Return `error.message` of a ZodError."""
    return indented_json([issue.members for issue in issues])


def at_paths(issues: Sequence[Issue]) -> str:
    """Return one line per issue, the format of the MCP SDK from 1.30 on."""
    return "\n".join(f"{i.message} at {dotted(i.path)}" if i.path else i.message for i in issues)


def by_paths(issues: Sequence[Issue]) -> str:
    """Return one sentence with paths before messages, the format of the MCP SDK 2."""
    return ", ".join(f"{'.'.join(map(str, i.path))}: {i.message}" if i.path else i.message for i in issues)


def by_paths_from_root(issues: Sequence[Issue]) -> str:
    """Return the same in the format of the TypeScript FastMCP, which calls the arguments `root`."""
    return ", ".join(f"{'.'.join(map(str, i.path)) or 'root'}: {i.message}" for i in issues)


def dotted(path: Path) -> str:
    """Return a path in the format of the MCP SDK: `data.records[0].fields`."""
    text = str(path[0]) if path else ""
    for step in path[1:]:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text


@dataclass(slots=True)
class _Match:
    """The issues of a call's arguments so far."""

    pattern_messages: Mapping[str, str]
    issues: list[Issue]


Parse = Callable[[Any, Path, _Match], Any]
"""A type: returns the value as zod outputs it, and appends its issues."""


@cache
def _type_of_arguments(tool: Tool, words: Generation, strict: bool) -> Parse:
    return _Types(words, tool.input_schema, strict).of(tool.input_schema)


@dataclass(slots=True)
class _Types:
    """The zod types of a schema, reconstructed once per tool."""

    words: Generation
    root: Schema
    strict: bool

    def of(self, schema: Schema) -> Parse:
        """Return the type for a schema."""
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

    def _referred(self, pointer: str, value: Any, path: Path, result: _Match) -> Any:
        """Validate with a referenced schema, which is resolved at this point because it may contain itself."""
        here: Any = self.root
        for step in pointer.removeprefix("#").split("/")[1:]:
            here = here[step.replace("~1", "/").replace("~0", "~")]
        return self.of(here)(value, path, result)

    def _anything(self, value: Any, path: Path, result: _Match) -> Any:
        if value is UNDEFINED and (issue := self.words.missing_anything(path)):
            result.issues.append(issue)
        return parsed(value)

    def _boolean(self, value: Any, path: Path, result: _Match) -> Any:
        if not isinstance(value, bool):
            result.issues.append(self.words.wrong_type(path, "boolean", value))
        return value

    def _null(self, value: Any, path: Path, result: _Match) -> None:
        if value is not None:
            result.issues.append(self.words.wrong_type(path, "null", value))

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
        # The JSON schema of a record has no properties, that of an object always has.
        record = "propertyNames" in schema or (isinstance(additional, dict) and "properties" not in schema)
        words = self.words

        def parse(value: Any, path: Path, results: _Match) -> dict[str, Any] | None:
            if not isinstance(value, dict):
                results.issues.append(words.wrong_type(path, "record" if record else "object", value))
                return None
            result = {}
            for name, member in members.items():
                if name in value:
                    result[name] = member(value[name], (*path, name), results)
                elif name in needed:
                    if name in defaults:
                        result[name] = parsed(defaults[name])
                    else:
                        member(UNDEFINED, (*path, name), results)
            if value.keys() <= members.keys():
                return result
            unknown = [name for name in value if name not in members]
            if others is not None:
                result |= {name: others(value[name], (*path, name), results) for name in unknown}
            elif refuses_others:
                results.issues.append(words.unrecognized(path, unknown))
            return result

        return parse

    def _array(self, schema: Schema, item: Parse, value: Any, path: Path, result: _Match) -> list[Any] | None:
        if not isinstance(value, list):
            result.issues.append(self.words.wrong_type(path, "array", value))
            if self.words.SIZES_OF_ANYTHING:
                self._sizes(schema, value, "Items", path, result)
            return None
        if self.words.SIZES_FIRST:
            self._sizes(schema, value, "Items", path, result)
        elif len(value) > schema.get("maxItems", len(value)):
            self._sizes(schema, value, "Items", path, result)
            result.issues[-1] = replace(result.issues[-1], fatal=True, halts=True)
            return None
        before = len(result.issues)
        items = [item(inner, (*path, i), result) for i, inner in enumerate(value)]
        if not self.words.SIZES_FIRST and not any(issue.halts for issue in result.issues[before:]):
            self._sizes(schema, value, "Items", path, result)
        return items

    def _any_text(self, value: Any, path: Path, result: _Match) -> Any:
        if not isinstance(value, str):
            result.issues.append(self.words.wrong_type(path, "string", value))
        return value

    def _string(self, schema: Schema, value: Any, path: Path, result: _Match) -> str | None:
        if not isinstance(value, str):
            result.issues.append(self.words.wrong_type(path, "string", value))
            if self.words.SIZES_OF_ANYTHING:
                self._sizes(schema, value, "Length", path, result)
            return None
        self._sizes(schema, value, "Length", path, result)
        if "format" in schema:
            if not _fits_format(schema, value):
                result.issues.append(self.words.no_format(path, schema))
        elif "pattern" in schema and not matches(schema["pattern"], value):
            message = result.pattern_messages.get(dotted(path))
            result.issues.append(self.words.no_match(path, schema["pattern"], message))
        return value

    def _number(self, schema: Schema, value: Any, path: Path, result: _Match) -> float | None:
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            result.issues.append(self.words.wrong_type(path, "number", value))
            return None
        number: float = parsed(value)
        if self.words.SAFE_NUMBERS and abs(number) == float("inf"):
            result.issues.append(self.words.wrong_type(path, "number", number))
            return None
        whole = schema["type"] == "integer"
        if whole and isinstance(number, float) and not number.is_integer():
            issue = self.words.not_whole(path)
            result.issues.append(issue)
            if issue.fatal:
                return None
        safe = whole and self.words.SAFE_NUMBERS
        if safe and abs(number) > MAX_SAFE:
            limit = Limit("int", "maximum", MAX_SAFE) if number > 0 else Limit("int", "minimum", -MAX_SAFE)
            result.issues.append(self.words.out_of_bounds(path, limit))
        for keyword, bound in schema.items():
            if keyword in _BOUNDS and not (safe and abs(bound) == MAX_SAFE):
                breaks, side, inclusive = _BOUNDS[keyword]
                if breaks(number, bound):
                    result.issues.append(self.words.out_of_bounds(path, Limit("number", side, bound, inclusive)))
            elif keyword == "multipleOf" and remainder(number, bound):
                result.issues.append(self.words.no_multiple(path, bound))
        return number

    def _sizes(self, schema: Schema, value: Any, keyword: str, path: Path, result: _Match) -> None:
        """Check a length; `keyword` is Length or Items."""
        if not isinstance(value, str | list):
            return
        size = self.words.length(value) if isinstance(value, str) else len(value)
        low, high = schema.get(f"min{keyword}"), schema.get(f"max{keyword}")
        if low is not None and size < low:
            limit = Limit(type_of(value), "minimum", low, exact=low == high)
            result.issues.append(self.words.out_of_bounds(path, limit))
        if high is not None and size > high:
            limit = Limit(type_of(value), "maximum", high, exact=low == high)
            result.issues.append(self.words.out_of_bounds(path, limit))

    def _literal(self, literal: Any, value: Any, path: Path, result: _Match) -> Any:
        value = parsed(value)
        if not same(literal, value):
            result.issues.append(self.words.no_literal(path, literal, value))
        return value

    def _enum(self, options: list[Any], value: Any, path: Path, result: _Match) -> Any:
        value = parsed(value)
        if not (isinstance(value, str) and value in options) and not any(same(option, value) for option in options):
            result.issues.append(self.words.no_option(path, options, value))
        return value

    def _union(self, options: list[Schema]) -> Parse:
        wanted = [option for option in options if option != {"not": {}}]
        nullable = len(wanted) > 1 and wanted[-1].get("type") == "null"
        types = [self.of(option) for option in (wanted[:-1] if nullable else wanted)]

        def parse(value: Any, path: Path, results: _Match) -> Any:
            if nullable and value is None:
                return None
            if len(types) == 1:
                return types[0](value, path, results)
            branches = []
            for type_ in types:
                branch = _Match(results.pattern_messages, [])
                result = type_(value, path, branch)
                if not branch.issues:
                    return result
                branches.append(branch.issues)
            results.issues += self.words.union(path, branches)
            return None

        return parse


def _fits_format(schema: Schema, value: str) -> bool:
    if schema["format"] == "uri":
        return is_url(value)
    return "pattern" not in schema or matches(schema["pattern"], value)
