"""Observations go from the entities that have them; what nobody has is no error."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    for unwanted in arguments["deletions"]:
        entity = context.first("entity", {"name": unwanted["entityName"]})
        if entity is not None:
            left = [one for one in entity["observations"] if one not in unwanted["observations"]]
            context.update("entity", entity["row_id"], {"observations": left})
    said = "Observations deleted successfully"
    return said, {"success": True, "message": said}
