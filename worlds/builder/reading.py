"""Reading rows back: which values of a row are references, times and ids, according to their columns' fillers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal

import orjson

from soundstage.contexts.engine.ids import ALPHABETS
from soundstage.contexts.engine.schema import Object
from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import WordedEntity

_FIELD = re.compile(r"\{(\w+)(?::(\d+))?\}")
_HOST = re.compile(r"https?://([\w.-]+)|@([\w-]+(?:\.[\w-]+)+)")


@dataclass(frozen=True, slots=True)
class Fact:
    """One meaningful value of a row: a reference, a time (ms), or an attribute."""

    form: Literal["reference", "moment", "attribute"]
    name: str
    column: str
    value: Any


def facts(entity: WordedEntity, row: Object) -> Iterator[Fact]:
    """Yield the facts of a row that its columns' fillers define."""
    for name in entity.fields:
        if name in row:
            yield from _read(entity.filler(name), row[name], name)


def _read(filler: Any, value: Any, column: str) -> Iterator[Fact]:
    match filler:
        case fill.Key(name, _):
            for one in value if isinstance(value, list) else [value]:
                if one not in (None, ""):
                    yield Fact("reference", name, column, one)
        case fill.Moment(name, unit, _, _):
            at = _moment(value, unit)
            if at is not None:
                yield Fact("moment", name, column, at)
        case fill.Of(name, _):
            yield Fact("attribute", name, column, value)
        case fill.Text(name, _, _):
            yield Fact("attribute", name, column, value)
        case fill.Shape(fields) if isinstance(value, dict):
            for name, inner in fields:
                if name in value:
                    yield from _read(inner, value[name], column)
        case fill.JsonText(inner) if isinstance(value, str):
            try:
                yield from _read(inner, orjson.loads(value), column)
            except orjson.JSONDecodeError:
                return
        case fill.Items(_, item) if isinstance(value, list):
            for one in value:
                yield from _read(item, one, column)
        case fill.Entries(_, _, inner) if isinstance(value, dict):
            for one in value.values():
                yield from _read(inner, one, column)
        case fill.Several(parts) if isinstance(value, list):
            for part in parts:
                inner = part.item if isinstance(part, fill.Items) else part
                for one in value:
                    if _could_be(inner, one):
                        yield from _read(inner, one, column)
        case fill.Case(_, cases, otherwise):
            for inner in (*(c for _, c in cases), otherwise):
                if inner is not None and _could_be(inner, value):
                    yield from _read(inner, value, column)
                    return


def _could_be(filler: Any, value: Any) -> bool:
    """Return whether a filler may have produced a value, judging by field names and constants."""
    match filler:
        case fill.Shape(fields):
            if not isinstance(value, dict) or not value.keys() <= {name for name, _ in fields}:
                return False
            constants = {n: f.choices for n, f in fields if isinstance(f, fill.Enumerate)}
            return all(value.get(n) in [c for c, _ in choices] for n, choices in constants.items())
        case fill.JsonText(inner):
            try:
                return isinstance(value, str) and _could_be(inner, orjson.loads(value))
            except orjson.JSONDecodeError:
                return False
        case fill.Enumerate(choices):
            return any(value == choice for choice, _ in choices)
        case fill.Items() | fill.Several():
            return isinstance(value, list)
        case _:
            return True


def _moment(value: Any, unit: fill.Unit) -> int | None:
    try:
        match unit:
            case "ms":
                return int(value)
            case "s":
                return int(value) * 1000
            case "us":
                return int(str(value).replace(".", "")) // 1000
            case "hex":
                return int(value, 16) * 1000
            case "snowflake":
                return (int(value) >> fill.SNOWFLAKE_BITS) + fill.SNOWFLAKE_EPOCH_MS
            case _:
                moment = datetime.fromisoformat(str(value))
                return int(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() * 1000)
    except (ValueError, TypeError):
        return None


@cache
def id_pattern(template: str) -> re.Pattern[str]:
    """Return a pattern that matches the ids of a template."""
    made, end = "", 0
    for field in _FIELD.finditer(template):
        made += re.escape(template[end : field.start()])
        end = field.end()
        kind, length = field[1], field[2]
        made += (
            r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
            if kind == "uuid4"
            else f"[{re.escape(ALPHABETS[kind])}]{{{length}}}"
        )
    return re.compile(made + re.escape(template[end:]))


@cache
def own_hosts(entity: WordedEntity) -> frozenset[str]:
    """Hosts that an entity's wording names itself: the app's own addresses."""
    fillers = [entity.link or "", *(entity.filler(name) for name in entity.fields)]
    return frozenset(host for part in _strings(fillers) for pair in _HOST.findall(part) for host in pair if host)


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list() | tuple():
            for one in value:
                yield from _strings(one)
        case dict():
            for one in value.values():
                yield from _strings(one)
        case _ if hasattr(value, "__slots__") and type(value).__module__ == fill.__name__:
            for name in value.__slots__:
                yield from _strings(getattr(value, name))
