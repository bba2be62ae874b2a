"""The entities that have the query in name, type or an observation, and the relations between them."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.memory.rules.graph import shown
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    query = arguments["query"]
    found = []
    for entity in context.list("entity"):
        if any(query in text for text in (entity["name"], entity["entityType"], *entity["observations"])):
            found.append(entity)
    names = [entity["name"] for entity in found]
    between = [one for one in context.list("relation") if one["from"] in names and one["to"] in names]
    graph = {"entities": shown(found), "relations": shown(between)}
    return graph, graph
