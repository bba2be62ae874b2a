"""Server error: the app fails internally (HTTP 500)."""

from __future__ import annotations

from typing import ClassVar

from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import Fault, Level
from soundstage.gateway.faults.intercepted import InterceptedCall


class ServerError(Fault):
    """The app fails internally (HTTP 500); nothing was done."""

    level: ClassVar[Level] = "tool"
    replaces: ClassVar[bool] = True

    def apply(self, call: InterceptedCall) -> Delivery:
        """Answer with an internal error in the app's wording."""
        return Delivery(call.failure("server_error"))
