"""The entities of these names, and the relations that have one of them at either end."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.memory.rules.graph import around
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    found = [entity for entity in context.list("entity") if entity["name"] in arguments["names"]]
    graph = around(context, found)
    return graph, graph
