"""What every fault is: a shape whose fields are its attributes in a schedule, and one method, `land`.

Everything that faults share (name, match, when, times …) is in the rule around them; see `soundstage.gateway.faults.schedule`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from soundstage.contexts.engine.store import Context
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.turn import Turn
from soundstage.kernels.types import Arguments
from soundstage.servers.catalogue import App
from soundstage.servers.tool import Tool

Level = Literal["tool", "state", "constraint"]
Healing = Literal["retry", "confirming", "reading", "undoing", "itself", "condition"]
"""What shows that an agent coped: a later success of the same intent; that, or a read that shows the effect; a read that
shows somebody else's change; an end of the second effect; the call's own success; a condition on the state that comes true."""

FOREVER = 2**31


class Fault(BaseModel):
    """One kind of fault.

    The class variables say what a schedule has to know: at which `level` it works, which `effects` of tools it can hit
    (None: all), how many matching calls it `lasts` unless the rule says so, whether it then keeps to the tool it hit
    (`per_tool`), and how an agent heals from it. `replaces` faults answer without asking the app.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    level: ClassVar[Level]
    effects: ClassVar[frozenset[str] | None] = None
    lasts: ClassVar[int] = 1
    per_tool: ClassVar[bool] = False
    healing: ClassVar[Healing] = "retry"
    replaces: ClassVar[bool] = False

    def land(self, turn: Turn) -> Delivery | None:
        """What becomes of the call; None where there is nothing this fault could do to it."""
        raise NotImplementedError

    def lifted_by(self, app: str) -> tuple[str, ...]:
        """The app's tools whose call ends a lasting fault."""
        return ()

    def listed(self, tool: Tool) -> Tool | None:
        """The tool as the list shows it while the fault lasts; None where it is not there any more."""
        return tool

    def old_name(self, name: str) -> str | None:
        """The name by which the app knows a tool that the fault has given this name; None where it gave none."""
        return None

    def old_arguments(self, given: Arguments) -> Arguments:
        """Arguments of a tool called by such a name, under the names that the app knows."""
        return given

    def coped(self, context: Context) -> bool | None:
        """Whether the state is as an agent that coped has left it, where the fault heals by a condition; None: nobody can say."""
        return None

    def mistakes(self, apps: Sequence[App], tools: Sequence[Tool]) -> Iterator[tuple[str, str]]:
        """What of its attributes cannot come true for these matching apps and tools: (which attribute, what is wrong)."""
        yield from ()


WRITES = frozenset({"create", "update", "delete", "other"})
READS = frozenset({"read"})
