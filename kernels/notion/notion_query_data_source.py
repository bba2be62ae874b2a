"""The `notion_query_data_source` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import queries
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, answer
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """List a data source's pages by a filter and sorts of the API."""
    if not arguments["data_source_id"]:
        raise server_error("Missing required argument: data_source_id")
    listing = queries.query(context, arguments, arguments.get("filter"), arguments.get("sorts", []))
    return answer(context, arguments, listing, long_lists=True)
