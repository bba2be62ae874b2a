"""A new version of the server: a tool bears another name, and perhaps its arguments do."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from soundstage.gateway.faults.fault import FOREVER, Fault, Landing, Level
from soundstage.gateway.faults.turn import Turn
from soundstage.kernels.types import Arguments


class ToolRenamed(Fault):
    """The tool has a new name (and arguments, where named): the old one is unknown, the list shows the new one."""

    level: ClassVar[Level] = "tool"
    replaces: ClassVar[bool] = True
    lasts: ClassVar[int] = FOREVER
    per_tool: ClassVar[bool] = True

    suffix: str = Field("_v2", pattern=r"^[A-Za-z0-9_-]{1,16}$", description="what the new name ends with")
    arguments: dict[str, str] = Field({}, description="old argument name → new name")

    def land(self, turn: Turn) -> Landing | None:
        if not turn.local:
            return None
        answer = turn.app.dialect.unknown_tool(turn.tool.name)
        return Landing(answer, detail={"now": turn.tool.name + self.suffix})

    def old_arguments(self, given: Arguments) -> Arguments:
        """Arguments of the renamed tool under the names that the app knows; the old names mean nothing any more."""
        old = {new: name for name, new in self.arguments.items()}
        return {old.get(name, name): value for name, value in given.items() if name not in self.arguments}

    def new_schema(self, old: dict[str, Any]) -> dict[str, Any]:
        """The tool's schema with the new argument names."""
        renamed = {self.arguments.get(n, n): s for n, s in old.get("properties", {}).items()}
        required = [self.arguments.get(n, n) for n in old.get("required", [])]
        return {**old, "properties": renamed} | ({"required": required} if "required" in old else {})
