"""Duplicate delivery: the call reaches the app twice, the app performs it twice, and the second answer arrives."""

from __future__ import annotations

from typing import ClassVar

from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import WRITES, Fault, Healing, Level
from soundstage.gateway.faults.turn import Turn


class DuplicateDelivery(Fault):
    """The call reaches the app twice; the agent sees the second answer."""

    level: ClassVar[Level] = "state"
    effects: ClassVar[frozenset[str] | None] = WRITES
    healing: ClassVar[Healing] = "undoing"

    def land(self, turn: Turn) -> Delivery | None:
        first = turn.deliver_before()
        if first is None:
            return None
        return Delivery(turn.answer(), detail={"first": first.wire()})
