"""The `notion_retrieve_page` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import access, ids, pages
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Return a page's properties, without its content."""
    if not arguments["page_id"]:
        raise server_error("Missing required argument: page_id")
    access.check(context, "read_content")
    page = pages.find(context, ids.path_id(arguments["page_id"], "page_id"))
    return of_object(context, arguments, pages.to_reply(context, page))
