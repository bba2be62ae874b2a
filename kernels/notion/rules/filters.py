"""Filters of a query: validation, and matching of rows.

Source: https://developers.notion.com/reference/post-database-query-filter and the type definitions of
https://github.com/makenotion/notion-sdk-js.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import conditions, property_schema
from soundstage.kernels.notion.rules.errors import invalid
from soundstage.kernels.notion.rules.property_schema import Schema
from soundstage.kernels.notion.rules.validation import array, choice, json_object, member, need_one, only, string

Question = Callable[[Object], bool]
"""Returns whether a shown page matches."""

_GROUPS = ("or", "and")
_DEEPEST_GROUP = 2
_TIMESTAMPS = ("created_time", "last_edited_time")


def check(value: Any, path: str = "body.filter", depth: int = 1) -> None:
    """Reject a filter with an invalid shape.

    Raises:
        NotionError: In the words of the API's validation.
    """
    sent = json_object(value, path)
    group = next((group for group in _GROUPS if group in sent), None)
    if group is not None and depth <= _DEEPEST_GROUP:
        only(sent, (group,), path)
        for i, inner in enumerate(array(sent[group], f"{path}.{group}", limit=100)):
            check(inner, f"{path}.{group}[{i}]", depth + 1)
        return
    if "timestamp" in sent:
        stamp = choice(sent["timestamp"], _TIMESTAMPS, f"{path}.timestamp", optional=False)
        only(sent, ("timestamp", "type", stamp), path)
        conditions.check("date", member(sent, stamp, path), f"{path}.{stamp}")
        return
    kind = next((kind for kind in conditions.FILTER_TYPES if kind in sent), None)
    if kind is None:
        need_one(path, (*(_GROUPS if depth <= _DEEPEST_GROUP else ()), *conditions.FILTER_TYPES))
    only(sent, ("property", "type", kind), path)
    string(member(sent, "property", path), f"{path}.property")
    if "type" in sent:
        choice(sent["type"], (kind,), f"{path}.type")
    conditions.check(kind, sent[kind], f"{path}.{kind}")


def fits(context: AppContext, schema: Schema, value: Object) -> Question:
    """Return a validated filter as a test of a page of the data source.

    Raises:
        NotionError: The data source lacks a property or an option, or a property has another type.
    """
    for group in _GROUPS:
        if group in value:
            parts = [fits(context, schema, inner) for inner in value[group]]
            whole = any if group == "or" else all
            return lambda page: whole(part(page) for part in parts)
    if "timestamp" in value:
        stamp = value["timestamp"]
        return lambda page: conditions.holds(context, "date", value[stamp], page.get(stamp))
    key = value["property"]
    name = property_schema.find(schema, key)
    if name is None:
        raise invalid(f"Could not find property with name or id: {key}")
    kind = next(kind for kind in conditions.FILTER_TYPES if kind in value)
    declared = schema[name]["type"]
    if declared != kind:
        raise invalid(
            "The property type in the database does not match the property type of the filter provided: "
            f"database property {declared} does not match filter {kind}"
        )
    conditions.check_options(schema[name], name, value[kind])
    return lambda page: conditions.holds(context, kind, value[kind], page["properties"][name].get(kind))
