"""The count of what a limit has refused, but for the rate of requests, which is counted where it is taken."""

from __future__ import annotations

from soundstage.contexts.engine.problems import ContextFull, DiskFull
from soundstage.gateway import metrics
from soundstage.gateway.sessions.problems import LowOnDisk, TooManySessions

_REASONS: dict[type[Exception], str] = {
    ContextFull: "bytes",
    DiskFull: "disk",
    LowOnDisk: "disk",
    TooManySessions: "sessions",
}


def count_refusal(error: Exception) -> None:
    """Count a refusal that somebody is being told; any other exception counts for nothing."""
    if (reason := _REASONS.get(type(error))) is not None:
        metrics.REFUSED.labels(reason).inc()
