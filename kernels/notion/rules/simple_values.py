"""The MCP server's simple property values, converted to those of the API."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import rich_text
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.property_schema import Schema
from soundstage.kernels.notion.rules.simple_options import boolean, find_property, known_option, number, text


def to_properties(schema: Schema, values: Object) -> Object:
    """Return the `properties` of a new page.

    Raises:
        NotionError: A property is unknown or has no simple form, or a value has the wrong type.
    """
    return {name: _property(name, find_property(schema, name), value) for name, value in values.items()}


def _property(name: str, config: Object, value: Any) -> Object:
    kind = config["type"]
    match kind:
        case "title" | "rich_text":
            return {kind: rich_text.of_text(text(name, value))}
        case "number":
            return {kind: number(name, value)}
        case "checkbox":
            return {kind: boolean(name, value)}
        case "select" | "status":
            return {kind: {"name": known_option(name, config, text(name, value))}}
        case "multi_select":
            return {kind: [{"name": known_option(name, config, one)} for one in _texts(name, value)]}
        case "date":
            return {kind: _date(name, value)}
        case "url" | "email" | "phone_number":
            return {kind: None if value is None else text(name, value)}
        case "relation" | "people":
            return {kind: [{"id": one} for one in _texts(name, value)]}
        case _:
            raise server_error(
                f"Property '{name}' has unsupported type '{kind}' for simple value creation. "
                "Use notion_create_data_source_item with raw Notion properties."
            )


def _texts(name: str, value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return value
    raise server_error(f"Property '{name}' must be a string or an array of strings.")


def _date(name: str, value: Any) -> Object:
    if isinstance(value, str):
        return {"start": value}
    if not isinstance(value, dict):
        raise server_error(f"Property '{name}' must be an ISO date string or {{ start, end?, time_zone? }}.")
    if not isinstance(value.get("start"), str):
        raise server_error(f"Property '{name}' date value requires a string start.")
    return {part: value[part] for part in ("start", "end", "time_zone") if isinstance(value.get(part), str)}
