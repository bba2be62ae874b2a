"""Prometheus metrics of this process, served at /metrics."""

from __future__ import annotations

from functools import lru_cache

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY = CollectorRegistry()

_CALLS = Counter("backlot_calls_total", "Calls answered.", ("app", "tool", "outcome"), registry=REGISTRY)
_SECONDS = Histogram(
    "backlot_call_seconds",
    "Time from a call's arguments to its committed answer.",
    ("app",),
    buckets=(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1),
    registry=REGISTRY,
)
SESSIONS_CREATED = Counter("backlot_sessions_created_total", "Sessions created or forked.", registry=REGISTRY)
CONTEXTS_OPEN = Gauge("backlot_contexts_open", "Contexts that this process holds open.", registry=REGISTRY)


@lru_cache(maxsize=4096)
def _labelled(app: str, tool: str, outcome: str) -> Counter:
    return _CALLS.labels(app, tool, outcome)


@lru_cache(maxsize=256)
def _seconds(app: str) -> Histogram:
    return _SECONDS.labels(app)


def count_call(app: str, tool: str, error_kind: str | None, duration_us: int) -> None:
    """Count one call; `outcome` is `ok` or the kind of error. Unknown tools share one label."""
    shown = "unknown" if error_kind == "unknown_tool" else tool
    _labelled(app, shown, error_kind or "ok").inc()
    _seconds(app).observe(duration_us / 1e6)
