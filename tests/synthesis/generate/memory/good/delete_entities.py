"""Entities of these names go, and the relations that have one of the names at either end; names that nobody has are no error."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.memory.rules.graph import touching
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    names = arguments["entityNames"]
    for entity in context.list("entity", {"name in": names}):
        context.delete("entity", entity["row_id"])
    for relation in touching(context, names):
        context.delete("relation", relation["row_id"])
    said = "Entities deleted successfully"
    return said, {"success": True, "message": said}
