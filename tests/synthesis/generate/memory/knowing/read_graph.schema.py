"""Everything."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.memory.rules.graph import shown
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    graph = {"entities": shown(context.list("entity")), "relations": shown(context.list("relation"))}
    return graph, graph
