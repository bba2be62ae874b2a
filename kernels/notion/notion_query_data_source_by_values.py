"""The `notion_query_data_source_by_values` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import data_sources, queries, simple_query
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, answer
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """List a data source's pages by simple filters and sorts, which are validated against its properties first."""
    if not arguments["data_source_id"]:
        raise server_error("Missing required argument: data_source_id")
    simple_query.check(arguments)
    schema = data_sources.retrieve(context, arguments["data_source_id"])["properties"]
    wanted = simple_query.to_filter(schema, arguments.get("filters", []), arguments.get("match"))
    sorts = simple_query.to_sorts(schema, arguments.get("sorts", []))
    return answer(context, arguments, queries.query(context, arguments, wanted, sorts), long_lists=True)
