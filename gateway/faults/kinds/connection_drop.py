"""Connection drop: the connection breaks before the app has done anything."""

from __future__ import annotations

from typing import ClassVar

from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import Fault, Level
from soundstage.gateway.faults.intercepted import InterceptedCall


class ConnectionDrop(Fault):
    """The connection breaks without an answer, before the app has done anything."""

    level: ClassVar[Level] = "tool"
    replaces: ClassVar[bool] = True

    def apply(self, call: InterceptedCall) -> Delivery:
        """Drop the connection instead of calling the app."""
        return Delivery(call.failure("unavailable"), dropped=True)
