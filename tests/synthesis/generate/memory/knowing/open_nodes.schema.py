"""The entities of these names, and the relations between them."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.memory.rules.graph import shown
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    found = []
    for name in arguments["names"]:
        entity = context.first("entity", {"name": name})
        if entity is None:
            raise AppError("not_found", f"Entity {name} not found")
        found.append(entity)
    between = [
        one for one in context.list("relation") if one["from"] in arguments["names"] and one["to"] in arguments["names"]
    ]
    graph = {"entities": shown(found), "relations": shown(between)}
    return graph, graph
