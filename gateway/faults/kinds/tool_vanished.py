"""A tool is gone: the server does not know it any more, and does not list it."""

from __future__ import annotations

from typing import ClassVar

from soundstage.gateway.faults.fault import FOREVER, Fault, Landing, Level
from soundstage.gateway.faults.turn import Turn


class ToolVanished(Fault):
    """The tool is gone from the server and from its list, for `lasts` calls of it; for good when left out."""

    level: ClassVar[Level] = "tool"
    replaces: ClassVar[bool] = True
    lasts: ClassVar[int] = FOREVER
    per_tool: ClassVar[bool] = True

    def land(self, turn: Turn) -> Landing:
        return Landing(turn.app.dialect.unknown_tool(turn.tool.name))
