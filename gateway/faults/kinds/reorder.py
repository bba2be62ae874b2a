"""Reorder: the items of a list arrive in another order."""

from __future__ import annotations

from typing import ClassVar

from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import Fault, Level, RecoveryEvidence
from soundstage.gateway.faults.intercepted import InterceptedCall
from soundstage.gateway.faults.payload import at, longest_list, payload_of, shown, with_value


class Reorder(Fault):
    """The longest list of the reply arrives in another order."""

    level: ClassVar[Level] = "state"
    evidence: ClassVar[RecoveryEvidence] = "itself"

    def apply(self, call: InterceptedCall) -> Delivery | None:
        """Shuffle the reply's longest list; None if no other order is possible."""
        payload = payload_of(call.answer())
        path = None if payload is None else longest_list(payload.value)
        if payload is None or path is None:
            return None
        items = list(at(payload.value, path))
        call.random.shuffle(items)
        if items == at(payload.value, path):
            items = [*items[1:], items[0]]
        if items == at(payload.value, path):  # all items are equal
            return None
        return Delivery(payload.with_value(with_value(payload.value, path, items)), detail={"path": shown(path)})
