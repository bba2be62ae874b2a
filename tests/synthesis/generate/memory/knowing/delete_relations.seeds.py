"""Relations go; those that are not there are no error."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    for unwanted in arguments["relations"]:
        ends = {"from": unwanted["from"], "to": unwanted["to"], "relationType": unwanted["relationType"]}
        for relation in context.list("relation", ends):
            context.delete("relation", relation["row_id"])
    said = "Relations deleted successfully"
    return said, {"success": True, "message": said}
