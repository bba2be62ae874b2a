"""These relations go; those that are not there are no error."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.memory.rules.graph import shown
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    for relation in context.list("relation"):
        if shown([relation])[0] in arguments["relations"]:
            context.delete("relation", relation["row_id"])
    said = "Relations deleted successfully"
    return said, {"success": True, "message": said}
