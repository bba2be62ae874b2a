"""Lost acknowledgement: the call is done and committed, but its answer is lost on the way."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from soundstage.contexts.engine.clock import Wait
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import WRITES, Fault, Level, RecoveryEvidence
from soundstage.gateway.faults.intercepted import InterceptedCall


class LostAck(Fault):
    """The call is done, but the answer is lost: the connection breaks, or the app's server reports a timeout."""

    level: ClassVar[Level] = "state"
    effects: ClassVar[frozenset[str] | None] = WRITES
    evidence: ClassVar[RecoveryEvidence] = "confirming"

    shows: Literal["drop", "timeout"] = Field("drop", description="the agent's view: a broken connection or a timeout")
    after_s: float = Field(30, gt=0, le=3600, description="the waiting time that the app's server reports")

    def apply(self, call: InterceptedCall) -> Delivery | None:
        """Replace the answer of a successful call; None if the call changed nothing."""
        answer = call.answer()
        if not answer.ok or (call.step is not None and not call.changed()):
            return None
        lost = {"lost": answer.wire()}
        if self.shows == "drop":
            return Delivery(answer, dropped=True, done=True, detail=lost)
        wait = Wait(round(self.after_s * 1000))
        return Delivery(call.failure("timeout", self.after_s), wait=wait, done=True, detail=lost)
