"""The connection breaks before the app has done anything."""

from __future__ import annotations

from typing import ClassVar

from soundstage.gateway.faults.fault import Fault, Landing, Level
from soundstage.gateway.faults.turn import Turn


class ConnectionDrop(Fault):
    """The connection breaks without an answer, before the app has done anything."""

    level: ClassVar[Level] = "tool"
    replaces: ClassVar[bool] = True

    def land(self, turn: Turn) -> Landing:
        return Landing(turn.worded("unavailable"), dropped=True)
