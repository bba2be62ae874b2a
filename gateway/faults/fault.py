"""The base class of faults: its fields are the fault's attributes in a schedule, and `apply` applies it to a call.

Everything that faults share (name, match, when, times …) belongs to the rule around them; see
`soundstage.gateway.faults.schedule`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from soundstage.contexts.engine.store import Context
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.intercepted import InterceptedCall
from soundstage.kernels.types import Arguments
from soundstage.servers.catalogue import App
from soundstage.servers.tool import Tool

Level = Literal["tool", "state", "constraint"]
RecoveryEvidence = Literal["retry", "confirming", "reading", "undoing", "itself", "condition"]
"""Evidence that an agent recovered: a later success of the same intent; that, or a read that shows the effect; a read that shows
another person's change; a removal of the second effect; the call's own success; a condition on the state that becomes true.
"""

FOREVER = 2**31


class Fault(BaseModel):
    """One kind of fault.

    The class variables describe it to schedules: the `level` at which it works, the `effects` of tools that it can hit (None:
    all), how many matching calls it `lasts` by default, whether it then stays with the tool it hit (`per_tool`), and how an
    agent recovers from it. `replaces` faults answer without calling the app.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    level: ClassVar[Level]
    effects: ClassVar[frozenset[str] | None] = None
    lasts: ClassVar[int] = 1
    per_tool: ClassVar[bool] = False
    evidence: ClassVar[RecoveryEvidence] = "retry"
    replaces: ClassVar[bool] = False

    def apply(self, call: InterceptedCall) -> Delivery | None:
        """Apply the fault to the call. Returns None if it has no effect on this call."""
        raise NotImplementedError

    def ended_by(self, app: str) -> tuple[str, ...]:
        """Return the app's tools whose call ends a lasting fault."""
        return ()

    def listed_tool(self, tool: Tool) -> Tool | None:
        """Return the tool as it is listed while the fault lasts, or None if it is hidden."""
        return tool

    def old_name(self, name: str) -> str | None:
        """Return the app's name of a tool that the fault has renamed to `name`, or None."""
        return None

    def old_arguments(self, given: Arguments) -> Arguments:
        """Translate the arguments of a renamed tool to the app's argument names."""
        return given

    def shows_recovery(self, context: Context) -> bool | None:
        """Whether the state shows a recovery, for faults with a condition; None if unknown."""
        return None

    def mistakes(self, apps: Sequence[App], tools: Sequence[Tool]) -> Iterator[tuple[str, str]]:
        """Yield the attributes that are invalid for these matching apps and tools, with a message."""
        yield from ()


WRITES = frozenset({"create", "update", "delete", "other"})
READS = frozenset({"read"})
