"""The `notion_open_page_workbench` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.types import Arguments

_FALLBACK = (
    "Use notion_read_page, notion_update_content, notion_update_content_batch, and notion_append_markdown "
    "when the host does not support MCP Apps."
)


def run(context: AppContext, arguments: Arguments) -> Object:
    """Open the server's workbench for a page.

    Without a host that shows such apps, only the hint is useful.
    """
    reply: Object = {
        "object": "notion_mcp_app",
        "app": "page_workbench",
        "resource_uri": "ui://notion/page-workbench",
    }
    if "page_id" in arguments:
        reply["page_id"] = arguments["page_id"]
    return {**reply, "fallback": _FALLBACK}
