"""Show a data source with the properties that its pages have."""

from __future__ import annotations

from contexts.engine.app_context import AppContext
from kernels.notion.rules import data_sources
from kernels.notion.rules.replies import Shown, of_object
from kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    return of_object(context, arguments, data_sources.retrieve(context, arguments["data_source_id"]))
