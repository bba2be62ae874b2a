"""Lost acknowledgement: the call is done and committed, but its answer is lost on the way."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from soundstage.contexts.engine.clock import Wait
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import WRITES, Fault, Healing, Level
from soundstage.gateway.faults.turn import Turn


class LostAck(Fault):
    """The call is done, but the answer is lost: the connection breaks, or the app's server reports a timeout."""

    level: ClassVar[Level] = "state"
    effects: ClassVar[frozenset[str] | None] = WRITES
    healing: ClassVar[Healing] = "confirming"

    shows: Literal["drop", "timeout"] = Field("drop", description="what the agent sees instead of the answer")
    after_s: float = Field(30, gt=0, le=3600, description="how long the app's server says it waited")

    def land(self, turn: Turn) -> Delivery | None:
        answer = turn.answer()
        if not answer.ok or (turn.step is not None and not turn.changed()):
            return None
        lost = {"lost": answer.wire()}
        if self.shows == "drop":
            return Delivery(answer, dropped=True, done=True, detail=lost)
        wait = Wait(round(self.after_s * 1000))
        return Delivery(turn.worded("timeout", self.after_s), wait=wait, done=True, detail=lost)
