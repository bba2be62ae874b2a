"""Stale read: a replica that lags behind answers with an earlier state."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import READS, Fault, Level
from soundstage.gateway.faults.intercepted import InterceptedCall


class StaleRead(Fault):
    """The reply shows an earlier state, as from a replica that lags behind."""

    level: ClassVar[Level] = "state"
    effects: ClassVar[frozenset[str] | None] = READS

    steps: int = Field(3, ge=1, le=10_000, description="the number of steps that the answer is behind")

    def apply(self, call: InterceptedCall) -> Delivery | None:
        """Return the answer of an earlier state; None if it equals the current one."""
        old = call.past_answer(self.steps)
        if old is None or old.wire() == call.answer().wire():
            return None
        return Delivery(old, detail={"steps": self.steps})
