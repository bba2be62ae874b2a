"""Entities are added in the order in which they come; one whose name was taken before the call is left out without a word."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    taken = {entity["name"] for entity in context.list("entity")}
    added = [wanted for wanted in arguments["entities"] if wanted["name"] not in taken]
    for entity in added:
        context.create("entity", entity)
    return added, {"entities": added}
