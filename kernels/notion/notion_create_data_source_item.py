"""The `notion_create_data_source_item` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import rows
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Create a page in a data source from properties in the API's format.

    Unknown options of a select are created.
    """
    page = rows.create(context, arguments["data_source_id"], arguments["properties"])
    return of_object(context, arguments, page)
