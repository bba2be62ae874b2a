"""Observations are added to entities that are there."""

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
        context.update("entity", entity["row_id"], {"observations": [*entity["observations"], *wanted["contents"]]})
        results.append({"entityName": wanted["entityName"], "addedObservations": wanted["contents"]})
    added = {"results": results}
    return added, added
