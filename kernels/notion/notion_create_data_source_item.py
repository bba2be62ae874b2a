"""Create a page in a data source from properties as the API describes them; unknown options of a select are created."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import rows
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    page = rows.create(context, arguments["data_source_id"], arguments["properties"])
    return of_object(context, arguments, page)
