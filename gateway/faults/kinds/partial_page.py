"""Partial page: a list stops early, and nothing in the reply shows it."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import READS, Fault, Level
from soundstage.gateway.faults.intercepted import InterceptedCall
from soundstage.gateway.faults.payload import at, longest_list, payload_of, shown, with_value


class PartialPage(Fault):
    """The longest list of the reply stops early, while cursors and counts are unchanged."""

    level: ClassVar[Level] = "state"
    effects: ClassVar[frozenset[str] | None] = READS

    keep: float = Field(0.5, ge=0, lt=1, description="the share of the items that arrives")

    def apply(self, call: InterceptedCall) -> Delivery | None:
        """Cut the reply's longest list; None if it has no list."""
        payload = payload_of(call.answer())
        path = None if payload is None else longest_list(payload.value)
        if payload is None or path is None:
            return None
        items = at(payload.value, path)
        length = int(len(items) * self.keep)
        changed = with_value(payload.value, path, items[:length])
        return Delivery(payload.with_value(changed), detail={"path": shown(path), "kept": length, "of": len(items)})
