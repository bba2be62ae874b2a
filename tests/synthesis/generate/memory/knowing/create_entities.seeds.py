"""Entities are added; one whose name is taken is left out. The text tells those that were added."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    added = []
    for wanted in arguments["entities"]:
        if context.first("entity", {"name": wanted["name"]}) is None:
            context.create("entity", wanted)
            added.append(wanted)
    return added, {"entities": added}
