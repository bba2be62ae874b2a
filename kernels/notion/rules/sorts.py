"""Sorts of a query; empty values come last in either direction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import dates, property_schema, rich_text
from soundstage.kernels.notion.rules.errors import invalid
from soundstage.kernels.notion.rules.property_schema import Schema
from soundstage.kernels.notion.rules.validation import choice, need_one, only

Key = Callable[[Object], Any]
Sort = tuple[Key, bool]

_TIMESTAMPS = ("created_time", "last_edited_time")


def check(sorts: list[Object]) -> None:
    """Reject sorts with an invalid shape; their directions have been validated already.

    Raises:
        NotionError: In the words of the API's validation.
    """
    for i, sort in enumerate(sorts):
        path = f"body.sorts[{i}]"
        if "property" not in sort and "timestamp" not in sort:
            need_one(path, ("property", "timestamp"))
        key = "property" if "property" in sort else "timestamp"
        only(sort, (key, "direction"), path)
        if key == "timestamp":
            choice(sort["timestamp"], _TIMESTAMPS, f"{path}.timestamp", optional=False)


def resolve(schema: Schema, sorts: list[Object]) -> list[Sort]:
    """Return each sort as its key function and whether it descends.

    Raises:
        NotionError: The data source lacks a property.
    """
    resolved: list[Sort] = []
    for sort in sorts:
        descends = sort["direction"] == "descending"
        if "property" not in sort:
            resolved.append((_timestamp(sort["timestamp"]), descends))
            continue
        name = property_schema.find(schema, sort["property"])
        if name is None:
            raise invalid(f"Could not find sort property with name or id: {sort['property']}")
        resolved.append((_property(schema[name], name), descends))
    return resolved


def apply(pages: list[Object], sorts: list[Sort]) -> list[Object]:
    """Sort the pages; pages with equal keys preserve their order."""
    for key, descends in reversed(sorts):
        keyed = [(key(page), page) for page in pages]
        filled = [pair for pair in keyed if pair[0] is not None]
        filled.sort(key=lambda pair: pair[0], reverse=descends)
        pages = [page for _, page in filled] + [page for value, page in keyed if value is None]
    return pages


def _timestamp(name: str) -> Key:
    return lambda page: page.get(name)


def _property(config: Object, name: str) -> Key:
    return lambda page: _comparable(config, page["properties"][name].get(config["type"]))


def _comparable(config: Object, value: Any) -> Any:
    """Return the sort key of a value, None if empty; keys of one property are always comparable."""
    kind = str(config["type"])
    if value is None or value == []:
        return None
    match kind:
        case "title" | "rich_text":
            return rich_text.plain(value).casefold() or None
        case "select" | "status":
            return _position(config, kind, value)
        case "multi_select":
            return [_position(config, kind, option) for option in value]
        case "date":
            return dates.parse_time(str(value.get("start")))
        case "people" | "relation" | "files":
            return [str(item.get("name") or item.get("id") or "") for item in value]
        case "created_by" | "last_edited_by":
            return str(value.get("name") or value.get("id") or "")
        case "unique_id":
            return value.get("number")
        case "number" | "checkbox":
            return value
        case "formula" | "rollup":
            return _result(value)
        case _:
            return str(value).casefold()


def _result(value: Object) -> tuple[str, Any] | None:
    """Return a computed value after its type, so that any two are comparable."""
    kind = str(value.get("type"))
    content = value.get(kind)
    if content is None:
        return None
    match kind:
        case "number" | "boolean":
            return kind, content
        case "date":
            return kind, str(dates.parse_time(str(content.get("start"))))
        case _:
            return kind, str(content).casefold()


def _position(config: Object, kind: str, option: Object) -> int:
    """Return the position of an option in its property."""
    names = [known.get("name") for known in (config.get(kind) or {}).get("options", [])]
    return names.index(option.get("name")) if option.get("name") in names else len(names)
