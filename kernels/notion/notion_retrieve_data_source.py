"""The `notion_retrieve_data_source` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import data_sources
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Return a data source with the properties of its pages."""
    return of_object(context, arguments, data_sources.retrieve(context, arguments["data_source_id"]))
