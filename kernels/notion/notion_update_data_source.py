"""The `notion_update_data_source` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import access, data_sources, ids, rich_text
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Change a data source's title, description or properties."""
    access.check(context, "update_content")
    identifier = ids.path_id(arguments["data_source_id"], "data_source_id")
    changes: Object = {
        name: rich_text.parse(context, arguments[name], f"body.{name}")
        for name in ("title", "description")
        if name in arguments
    }
    source = data_sources.find(context, identifier)
    if "properties" in arguments:
        schema = source.get("properties") or {}
        changes["properties"] = data_sources.updated_schema(context, schema, arguments["properties"], "body.properties")
    return of_object(context, arguments, data_sources.to_reply(data_sources.update(context, source, changes)))
