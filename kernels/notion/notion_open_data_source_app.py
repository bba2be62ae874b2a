"""The `notion_open_data_source_app` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.types import Arguments

_FALLBACK = (
    "Use notion_inspect_data_source, notion_query_data_source_by_values, and "
    "notion_create_data_source_item_from_values when the host does not support MCP Apps."
)


def run(context: AppContext, arguments: Arguments) -> Object:
    """Open the server's explorer of a data source.

    Without a host that shows such apps, only the hint is useful.
    """
    reply: Object = {
        "object": "notion_mcp_app",
        "app": "data_source_explorer",
        "resource_uri": "ui://notion/data-source-explorer",
    }
    if "data_source_id" in arguments:
        reply["data_source_id"] = arguments["data_source_id"]
    return {**reply, "fallback": _FALLBACK}
