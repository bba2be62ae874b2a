"""The entities that have the query in name, type or an observation, in any case, and the relations that have one of them at
either end. An empty query is in everything.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.memory.rules.graph import around
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    query = arguments["query"].lower()
    found = []
    for entity in context.list("entity"):
        texts = [entity["name"], entity["entityType"], *entity["observations"]]
        if any(query in text.lower() for text in texts):
            found.append(entity)
    graph = around(context, found)
    return graph, graph
