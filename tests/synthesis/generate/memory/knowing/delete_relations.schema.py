"""Relations that are there go."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    for unwanted in arguments["relations"]:
        ends = {"from": unwanted["from"], "to": unwanted["to"], "relationType": unwanted["relationType"]}
        relation = context.first("relation", ends)
        if relation is None:
            raise AppError(
                "not_found", f"Relation {unwanted['from']} {unwanted['relationType']} {unwanted['to']} not found"
            )
        context.delete("relation", relation["row_id"])
    done = {"success": True, "message": f"{len(arguments['relations'])} relations deleted"}
    return done, done
