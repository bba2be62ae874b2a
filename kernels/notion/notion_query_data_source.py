"""List a data source's pages by a filter and sorts of the API."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import queries
from soundstage.kernels.notion.rules.errors import refused
from soundstage.kernels.notion.rules.replies import Shown, answer
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    if not arguments["data_source_id"]:
        raise refused("Missing required argument: data_source_id")
    found = queries.query(context, arguments, arguments.get("filter"), arguments.get("sorts", []))
    return answer(context, arguments, found, long_lists=True)
