"""Somebody else changes something just before the call: a message arrives, an event is moved, a page is edited."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from soundstage.gateway.faults.fault import Fault, Healing, Landing, Level
from soundstage.gateway.faults.turn import Turn


class Drift(Fault):
    """Somebody else changes something in the app between two calls."""

    level: ClassVar[Level] = "state"
    healing: ClassVar[Healing] = "reading"

    change: str | None = Field(None, description="one of the app's changes; drawn when left out")

    def land(self, turn: Turn) -> Landing | None:
        if not turn.local:
            return None
        view = turn.context.app(turn.app.name)
        changes = turn.words.drifts
        names = sorted(changes) if self.change is None else [name for name in changes if name == self.change]
        turn.random.shuffle(names)
        for name in names:
            if turn.change_before(name, lambda change=changes[name]: change(view, turn.random)):  # type: ignore[misc]
                return Landing(turn.answer(), detail={"change": name})
        return None
