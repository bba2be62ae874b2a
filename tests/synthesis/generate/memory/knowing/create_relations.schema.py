"""Relations are added between entities that are there."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    for wanted in arguments["relations"]:
        for end in (wanted["from"], wanted["to"]):
            if context.first("entity", {"name": end}) is None:
                raise AppError("not_found", f"Entity {end} not found")
        context.create("relation", wanted)
    made = {"relations": arguments["relations"]}
    return made, made
