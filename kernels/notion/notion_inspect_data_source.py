"""The `notion_inspect_data_source` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import data_sources
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.markdown_text import plain
from soundstage.kernels.notion.rules.options import OPTION_TYPES
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return a data source's properties in short form, with the available options."""
    if not arguments["data_source_id"]:
        raise server_error("Missing required argument: data_source_id")
    source = data_sources.retrieve(context, arguments["data_source_id"])
    properties = [_short(name, config) for name, config in source["properties"].items()]
    return {
        "object": "notion_data_source_schema",
        "id": source["id"],
        "title": plain(source["title"]) or "Untitled data source",
        "parent_database_id": (source.get("parent") or {}).get("database_id"),
        "property_count": len(properties),
        "properties": properties,
        "create_item_hint": {
            "tool": "notion_create_data_source_item",
            "required_parent": {"data_source_id": source["id"]},
        },
    }


def _short(name: str, config: Object) -> Object:
    kind = config["type"]
    short: Object = {"name": config.get("name") or name, "id": config.get("id"), "type": kind}
    declared = config.get(kind) or {}
    if kind in OPTION_TYPES and declared.get("options"):
        short["options"] = [option["name"] for option in declared["options"]]
    if kind == "relation":
        short["relation"] = {key: declared[key] for key in ("database_id", "data_source_id") if key in declared}
    return short
