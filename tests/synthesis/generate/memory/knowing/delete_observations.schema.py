"""Observations go from entities that are there."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    count = 0
    for unwanted in arguments["deletions"]:
        entity = context.first("entity", {"name": unwanted["entityName"]})
        if entity is None:
            raise AppError("not_found", f"Entity {unwanted['entityName']} not found")
        left = [one for one in entity["observations"] if one not in unwanted["observations"]]
        count += len(entity["observations"]) - len(left)
        context.update("entity", entity["row_id"], {"observations": left})
    done = {"success": True, "message": f"{count} observations deleted"}
    return done, done
