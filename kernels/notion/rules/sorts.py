"""Sorts of a query. Empty values stand last in either direction."""

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
    """Refuse sorts whose shape is none; their directions are checked already.

    Raises:
        NotionError: in the words of the API's validation.
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
    """Each sort as the value that it looks at, and whether it descends.

    Raises:
        NotionError: for a property that the data source lacks.
    """
    found: list[Sort] = []
    for sort in sorts:
        descends = sort["direction"] == "descending"
        if "property" not in sort:
            found.append((_timestamp(sort["timestamp"]), descends))
            continue
        name = property_schema.find(schema, sort["property"])
        if name is None:
            raise invalid(f"Could not find sort property with name or id: {sort['property']}")
        found.append((_property(schema[name], name), descends))
    return found


def apply(pages: list[Object], sorts: list[Sort]) -> list[Object]:
    """The pages in order; pages that no sort tells apart stay as they were."""
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
    """What a page is sorted by: values of one kind, so that any two compare; None where it is empty."""
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
            return dates.moment(str(value.get("start")))
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
    """A computed value; its type comes first, so that any two compare."""
    kind = str(value.get("type"))
    held = value.get(kind)
    if held is None:
        return None
    match kind:
        case "number" | "boolean":
            return kind, held
        case "date":
            return kind, str(dates.moment(str(held.get("start"))))
        case _:
            return kind, str(held).casefold()


def _position(config: Object, kind: str, option: Object) -> int:
    """Options sort as their property lists them."""
    names = [known.get("name") for known in (config.get(kind) or {}).get("options", [])]
    return names.index(option.get("name")) if option.get("name") in names else len(names)
