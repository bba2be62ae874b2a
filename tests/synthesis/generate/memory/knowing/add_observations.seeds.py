"""Observations that an entity does not have yet are added to it. The text tells what was added."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    results = []
    for wanted in arguments["observations"]:
        entity = context.first("entity", {"name": wanted["entityName"]})
        if entity is None:
            raise AppError("not_found", f"Entity {wanted['entityName']} not found")
        new = [content for content in wanted["contents"] if content not in entity["observations"]]
        context.update("entity", entity["row_id"], {"observations": [*entity["observations"], *new]})
        results.append({"entityName": wanted["entityName"], "addedObservations": new})
    return results, {"results": results}
