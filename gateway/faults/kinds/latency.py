"""Latency: the answer is delayed."""

from __future__ import annotations

import math
from random import Random
from typing import ClassVar, Literal

from pydantic import Field

from soundstage.contexts.engine.clock import Wait
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import Fault, Level, RecoveryEvidence
from soundstage.gateway.faults.intercepted import InterceptedCall


class Latency(Fault):
    """The answer is delayed by a time drawn from a distribution."""

    level: ClassVar[Level] = "tool"
    evidence: ClassVar[RecoveryEvidence] = "itself"

    distribution: Literal["constant", "uniform", "normal", "lognormal", "exponential"] = "lognormal"
    ms: float = Field(800, gt=0, le=600_000, description="the mean, or the median of lognormal")
    spread: float = Field(0.5, ge=0, le=10, description="relative: half the width, the deviation, or lognormal's sigma")
    at_most_ms: float = Field(30_000, gt=0, le=600_000, description="the limit of a draw")

    def apply(self, call: InterceptedCall) -> Delivery:
        """Delay the app's answer by a drawn time."""
        ms = round(min(max(self._drawn(call.random), 0.0), self.at_most_ms))
        return Delivery(call.answer(), wait=Wait(ms, ms), detail={"ms": ms})

    def _drawn(self, random: Random) -> float:
        match self.distribution:
            case "constant":
                return self.ms
            case "uniform":
                return self.ms * random.uniform(1 - self.spread, 1 + self.spread)
            case "normal":
                return random.gauss(self.ms, self.ms * self.spread)
            case "lognormal":
                return random.lognormvariate(math.log(self.ms), self.spread)
            case "exponential":
                return random.expovariate(1 / self.ms)
