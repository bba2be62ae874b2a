"""The `notion_update_page_properties` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import access, ids, pages, property_values
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Change a page's properties in the API's format; unknown options of a select are created."""
    if not arguments["page_id"]:
        raise server_error("Missing required arguments: page_id and properties")
    access.check(context, "update_content")
    identifier = ids.path_id(arguments["page_id"], "page_id")
    written = property_values.parse(context, arguments["properties"], "body.properties")
    page = pages.write(context, pages.find(context, identifier), written)
    return of_object(context, arguments, pages.to_reply(context, page))
