"""Relations are added, whether their ends are there or not; one that is there is left out. The text has those that were."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    added = []
    for wanted in arguments["relations"]:
        ends = {"from": wanted["from"], "to": wanted["to"], "relationType": wanted["relationType"]}
        if context.first("relation", ends) is None:
            context.create("relation", wanted)
            added.append(wanted)
    return added, {"relations": added}
