"""Prometheus metrics of this process, served at /metrics."""

from __future__ import annotations

from functools import lru_cache

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)

_CALLS = Counter("soundstage_calls_total", "Calls answered.", ("app", "tool", "outcome"), registry=REGISTRY)
_SECONDS = Histogram(
    "soundstage_call_seconds",
    "Time from a call's arguments to its committed answer.",
    ("app",),
    buckets=(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1),
    registry=REGISTRY,
)
SESSIONS_CREATED = Counter("soundstage_sessions_created_total", "Sessions created or forked.", registry=REGISTRY)
SESSIONS = Gauge("soundstage_sessions", "Sessions that the registry knows of.", registry=REGISTRY)
GATEWAYS = Gauge("soundstage_gateways", "Gateways that the registry knows to be there.", registry=REGISTRY)
REGISTRY_UP = Gauge(
    "soundstage_registry_up", "Whether the registry answered when it was last asked.", registry=REGISTRY
)
DRAINING = Gauge("soundstage_draining", "Whether this gateway is about to end.", registry=REGISTRY)
LEASES_TAKEN = Counter(
    "soundstage_leases_taken_total",
    "Leases taken: of sessions without an owner (free), or whose owner was silent (lapsed) or refused connections (refused).",
    ("from",),
    registry=REGISTRY,
)
FENCED = Counter(
    "soundstage_fenced_total", "Steps refused because another gateway had taken the session over.", registry=REGISTRY
)
FORWARDED = Counter(
    "soundstage_forwarded_total",
    "Requests passed on to the gateway that has the session.",
    ("plane", "outcome"),
    registry=REGISTRY,
)
REFUSED = Counter("soundstage_refused_total", "Requests refused by a limit.", ("reason",), registry=REGISTRY)
CONTEXTS_CLOSED = Counter(
    "soundstage_contexts_closed_total",
    "Contexts closed because they were idle, or to make room.",
    ("reason",),
    registry=REGISTRY,
)
EXPIRED = Counter("soundstage_sessions_expired_total", "Expired sessions removed.", registry=REGISTRY)
DISK_FREE = Gauge("soundstage_disk_free_bytes", "Free bytes on the disk of the data folder.", registry=REGISTRY)
DISK = Gauge("soundstage_disk_bytes", "Bytes of the disk of the data folder.", registry=REGISTRY)
CONTEXTS_OPEN = Gauge("soundstage_contexts_open", "Contexts that this process holds open.", registry=REGISTRY)


Outcome = tuple[str, str, str]
"""An app, its tool, and the outcome of a call: `ok` or the kind of error."""


@lru_cache(maxsize=256)
def _seconds(app: str) -> Histogram:
    return _SECONDS.labels(app)


def outcome(app: str, tool: str, error_kind: str | None) -> Outcome:
    """Return the outcome under which a call is counted. Unknown tools share one label."""
    return app, "unknown" if error_kind == "unknown_tool" else tool, error_kind or "ok"


def count_calls(what: Outcome, number: int) -> None:
    """Count `number` calls of one outcome."""
    _CALLS.labels(*what).inc(number)


def time_call(app: str, duration_us: int) -> None:
    """Record the duration of a call."""
    _seconds(app).observe(duration_us / 1e6)
