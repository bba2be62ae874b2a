"""Entities go, and their relations with them; names that nobody has are no error."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    names = arguments["entityNames"]
    for entity in context.list("entity"):
        if entity["name"] in names:
            context.delete("entity", entity["row_id"])
    for relation in context.list("relation"):
        if relation["from"] in names or relation["to"] in names:
            context.delete("relation", relation["row_id"])
    said = "Entities deleted successfully"
    return said, {"success": True, "message": said}
