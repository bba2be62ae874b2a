"""The `notion_create_data_source_item_from_values` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import data_sources, rows, simple_values
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Create a page in a data source from simple values, which are validated against its properties first."""
    if not arguments["data_source_id"]:
        raise server_error("Missing required arguments: data_source_id and values")
    schema = data_sources.retrieve(context, arguments["data_source_id"])["properties"]
    properties = simple_values.to_properties(schema, arguments["values"])
    return of_object(context, arguments, rows.create(context, arguments["data_source_id"], properties))
