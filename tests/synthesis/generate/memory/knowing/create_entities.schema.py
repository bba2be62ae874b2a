"""Entities are added; a name can be had once."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    for wanted in arguments["entities"]:
        if context.first("entity", {"name": wanted["name"]}) is not None:
            raise AppError("already_exists", f"Entity {wanted['name']} already exists")
        context.create("entity", wanted)
    made = {"entities": arguments["entities"]}
    return made, made
