"""Rate limit: too many calls; the app asks the client to wait (HTTP 429)."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import Fault, Level
from soundstage.gateway.faults.intercepted import InterceptedCall


class RateLimit(Fault):
    """Too many calls: the app rejects the call (HTTP 429) and, if its server reports it, names the waiting time."""

    level: ClassVar[Level] = "tool"
    replaces: ClassVar[bool] = True

    retry_after_s: int = Field(30, ge=1, le=86_400, description="the waiting time that the app demands")

    def apply(self, call: InterceptedCall) -> Delivery:
        """Reject the call in the app's wording."""
        return Delivery(call.failure("rate_limit", self.retry_after_s), detail={"retry_after_s": self.retry_after_s})
