"""Tool renamed: a new version of the server gives a tool, and perhaps its arguments, another name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from pydantic import Field

from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import FOREVER, Fault, Level
from soundstage.gateway.faults.intercepted import InterceptedCall
from soundstage.kernels.types import Arguments
from soundstage.servers.catalogue import App
from soundstage.servers.tool import Tool


class ToolRenamed(Fault):
    """The tool has a new name (and arguments, if specified): the old one is unknown, the list shows the new one."""

    level: ClassVar[Level] = "tool"
    replaces: ClassVar[bool] = True
    lasts: ClassVar[int] = FOREVER
    per_tool: ClassVar[bool] = True

    suffix: str = Field("_v2", pattern=r"^[A-Za-z0-9_-]{1,16}$", description="the ending of the new name")
    arguments: dict[str, str] = Field({}, description="old argument name → new name")

    def apply(self, call: InterceptedCall) -> Delivery | None:
        """Answer that the old name is unknown; None for an upstream's tool."""
        if call.step is None:
            return None
        answer = call.app.dialect.unknown_tool(call.tool.name)
        return Delivery(answer, detail={"now": call.tool.name + self.suffix})

    def mistakes(self, apps: Sequence[App], tools: Sequence[Tool]) -> Iterator[tuple[str, str]]:
        """Yield the arguments that no matching tool has."""
        for name in self.arguments:
            if tools and not any(t.has_argument(name) for t in tools):
                yield f"arguments.{name}", "none of the matching tools has this argument"

    def listed_tool(self, tool: Tool) -> Tool:
        """Return the tool with its new name and arguments."""
        return replace(tool, name=tool.name + self.suffix, input_schema=self._new_schema(tool.input_schema))

    def old_name(self, name: str) -> str | None:
        """Return the name without the suffix, or None if it does not end with it."""
        return name.removesuffix(self.suffix) if name.endswith(self.suffix) else None

    def old_arguments(self, given: Arguments) -> Arguments:
        """Translate new argument names to the app's names; old names are dropped."""
        # The old names are no longer valid.
        old = {new: name for name, new in self.arguments.items()}
        return {old.get(name, name): value for name, value in given.items() if name not in self.arguments}

    def _new_schema(self, old: dict[str, Any]) -> dict[str, Any]:
        renamed = {self.arguments.get(n, n): s for n, s in old.get("properties", {}).items()}
        required = [self.arguments.get(n, n) for n in old.get("required", [])]
        return {**old, "properties": renamed} | ({"required": required} if "required" in old else {})
