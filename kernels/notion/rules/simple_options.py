"""Rules that the MCP server's by-value tools share: validation against the data source before any request.

Source: `src/tools/data-sources/` in https://github.com/suekou/mcp-notion-server.
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.property_schema import Schema


def find_property(schema: Schema, name: str) -> Object:
    """Return the property with exactly this name.

    Raises:
        NotionError: The property is unknown.
    """
    if name not in schema:
        raise server_error(f"Unknown property '{name}'. Use notion_inspect_data_source to list valid properties.")
    return schema[name]


def text(name: str, value: Any) -> str:
    """Require a string."""
    if not isinstance(value, str):
        raise server_error(f"Property '{name}' must be a string.")
    return value


def number(name: str, value: Any) -> int | float:
    """Require a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise server_error(f"Property '{name}' must be a number.")
    return value


def boolean(name: str, value: Any) -> bool:
    """Require a boolean."""
    if not isinstance(value, bool):
        raise server_error(f"Property '{name}' must be a boolean.")
    return value


def known_option(name: str, config: Object, option: str) -> str:
    """Return a valid option of the property; a property without options accepts any.

    Raises:
        NotionError: The option is unknown; the message lists the options, and one that differs only in case.
    """
    listed = (config.get(config["type"]) or {}).get("options") or []
    names = [one["name"] for one in listed if isinstance(one.get("name"), str)]
    if not names or option in names:
        return option
    similar = next((one for one in names if one.lower() == option.lower()), None)
    hint = f"Did you mean '{similar}'? " if similar else ""
    raise server_error(
        f"Property '{name}' does not have option '{option}'. Valid options: {', '.join(names)}. {hint}"
        "Use notion_inspect_data_source to confirm current options."
    )
