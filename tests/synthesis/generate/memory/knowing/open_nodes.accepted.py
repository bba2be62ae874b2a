"""The entities of these names, each once, and the relations between them; names that nobody has are no error."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.memory.rules.graph import shown
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    found = [entity for entity in context.list("entity") if entity["name"] in arguments["names"]]
    between = [
        one for one in context.list("relation") if one["from"] in arguments["names"] and one["to"] in arguments["names"]
    ]
    graph = {"entities": shown(found), "relations": shown(between)}
    return graph, graph
