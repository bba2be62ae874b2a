"""Relations are added in the order in which they come, whether their ends exist or not; one that was there before the call is
left out.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.memory.rules.graph import shown
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    there = shown(context.list("relation"))
    added = [wanted for wanted in arguments["relations"] if wanted not in there]
    for relation in added:
        context.create("relation", relation)
    return added, {"relations": added}
