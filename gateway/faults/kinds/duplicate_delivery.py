"""Duplicate delivery: the call reaches the app twice, the app performs it twice, and the second answer arrives."""

from __future__ import annotations

from typing import ClassVar

from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import WRITES, Fault, Level, RecoveryEvidence
from soundstage.gateway.faults.intercepted import InterceptedCall


class DuplicateDelivery(Fault):
    """The call reaches the app twice; the agent sees the second answer."""

    level: ClassVar[Level] = "state"
    effects: ClassVar[frozenset[str] | None] = WRITES
    evidence: ClassVar[RecoveryEvidence] = "undoing"

    def apply(self, call: InterceptedCall) -> Delivery | None:
        """Run the call in a separate step first; None for an upstream's tool."""
        first = call.run_before()
        if first is None:
            return None
        return Delivery(call.answer(), detail={"first": first.wire()})
