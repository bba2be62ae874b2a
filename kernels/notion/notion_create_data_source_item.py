"""Create a page in a data source from properties as the API describes them; unknown options of a select are created."""

from __future__ import annotations

from contexts.engine.app_context import AppContext
from kernels.notion.rules import rows
from kernels.notion.rules.replies import Shown, of_object
from kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    page = rows.create(context, arguments["data_source_id"], arguments["properties"])
    return of_object(context, arguments, page)
