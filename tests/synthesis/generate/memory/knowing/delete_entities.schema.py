"""Entities go, and their relations with them."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    names = arguments["entityNames"]
    for name in names:
        entity = context.first("entity", {"name": name})
        if entity is None:
            raise AppError("not_found", f"Entity {name} not found")
        context.delete("entity", entity["row_id"])
    for relation in context.list("relation"):
        if relation["from"] in names or relation["to"] in names:
            context.delete("relation", relation["row_id"])
    done = {"success": True, "message": f"{len(names)} entities deleted"}
    return done, done
