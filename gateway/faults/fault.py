"""What every fault is: a shape whose fields are its attributes in a schedule, and one method, `land`.

Everything that faults share (name, match, when, times …) is in the rule around them; see `soundstage.gateway.faults.schedule`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from soundstage.gateway.faults.turn import Turn
from soundstage.servers.reply import Answer

Level = Literal["tool", "state", "constraint"]
Healing = Literal["retry", "confirming", "reading", "undoing", "itself", "condition"]
"""What shows that an agent coped: a later success of the same intent; that, or a read that shows the effect; a read that
shows somebody else's change; an end of the second effect; the call's own success; a condition on the state that comes true."""

FOREVER = 2**31


@dataclass(frozen=True, slots=True)
class Landing:
    """A fault that has landed: the answer as it is now, and what the connection does with it.

    `dropped`: nothing is sent and the connection ends. `notice` also goes to a client that listens. `done` overrides
    whether the app did what was asked, where the answer does not tell. `detail` is for the ledger.
    """

    answer: Answer
    dropped: bool = False
    wait_s: float = 0.0
    notice: str | None = None
    done: bool | None = None
    detail: dict[str, Any] | None = None


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

    def land(self, turn: Turn) -> Landing | None:
        """What becomes of the call; None where there is nothing this fault could do to it."""
        raise NotImplementedError

    def lifted_by(self, app: str) -> tuple[str, ...]:
        """The app's tools whose call ends a lasting fault."""
        return ()


WRITES = frozenset({"create", "update", "delete", "other"})
READS = frozenset({"read"})
