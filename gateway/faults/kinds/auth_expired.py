"""Expired login: matching calls are rejected until a login, or for a number of calls."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import Fault, Level
from soundstage.gateway.faults.intercepted import InterceptedCall
from soundstage.servers.faults import fault_words


class AuthExpired(Fault):
    """The login has expired (HTTP 401): matching calls fail until a login tool is called, or for `lasts` calls."""

    level: ClassVar[Level] = "tool"
    replaces: ClassVar[bool] = True
    lasts: ClassVar[int] = 3

    login_tools: tuple[str, ...] = Field((), description="tools whose call ends it; default: the app's login tools")

    def apply(self, call: InterceptedCall) -> Delivery:
        """Reject the call in the app's wording."""
        return Delivery(call.failure("auth_expired"))

    def ended_by(self, app: str) -> tuple[str, ...]:
        """Return the login tools."""
        return self.login_tools or fault_words(app).login_tools
