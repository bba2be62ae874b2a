"""Tool vanished: the server no longer lists or knows a tool."""

from __future__ import annotations

from typing import ClassVar

from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import FOREVER, Fault, Level
from soundstage.gateway.faults.intercepted import InterceptedCall
from soundstage.servers.tool import Tool


class ToolVanished(Fault):
    """The tool is missing from the server and its list, for `lasts` calls of it, or permanently without `lasts`."""

    level: ClassVar[Level] = "tool"
    replaces: ClassVar[bool] = True
    lasts: ClassVar[int] = FOREVER
    per_tool: ClassVar[bool] = True

    def apply(self, call: InterceptedCall) -> Delivery:
        """Answer that the tool is unknown."""
        return Delivery(call.app.dialect.unknown_tool(call.tool.name))

    def listed_tool(self, tool: Tool) -> None:
        """Hide the tool."""
        return None
