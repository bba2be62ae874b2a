"""Unavailable: the app is down for a while (HTTP 503)."""

from __future__ import annotations

from typing import ClassVar

from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import Fault, Level
from soundstage.gateway.faults.intercepted import InterceptedCall


class Unavailable(Fault):
    """The app is down (HTTP 503); nothing was done."""

    level: ClassVar[Level] = "tool"
    replaces: ClassVar[bool] = True

    def apply(self, call: InterceptedCall) -> Delivery:
        """Answer that the app is down, in its wording."""
        return Delivery(call.failure("unavailable"))
