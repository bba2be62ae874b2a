"""Timeout: the app does not answer in time and its server reports that. Nothing was done."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from soundstage.contexts.engine.clock import Wait
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import Fault, Level
from soundstage.gateway.faults.intercepted import InterceptedCall


class Timeout(Fault):
    """The app's server gives up waiting. Nothing was done."""

    level: ClassVar[Level] = "tool"
    replaces: ClassVar[bool] = True

    after_s: float = Field(30, gt=0, le=3600, description="the waiting time that the app's server reports")
    wait_s: float = Field(0, ge=0, le=600, description="the client's real waiting time, by the wall clock")

    def apply(self, call: InterceptedCall) -> Delivery:
        """Report a timeout in the app's wording, after the waiting time."""
        wait = Wait(round(self.after_s * 1000), round(self.wait_s * 1000))
        return Delivery(call.failure("timeout", self.after_s), wait=wait)
