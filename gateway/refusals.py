"""Map exceptions to HTTP status, headers and metrics."""

from __future__ import annotations

from collections.abc import Mapping

from soundstage.contexts.app_errors import BrokenApp
from soundstage.contexts.engine.problems import (
    ClockEnded,
    ContextBusy,
    ContextDamaged,
    ContextError,
    ContextFull,
    DiskFull,
    SnapshotDamaged,
)
from soundstage.contexts.engine.schema import StateError
from soundstage.gateway import metrics
from soundstage.gateway.calls.json_arguments import NestedTooDeeply
from soundstage.gateway.reading.readers import ReadingBroken, TooManyReadings
from soundstage.gateway.registry.database import RegistryFull, RegistryUnavailable
from soundstage.gateway.registry.records import NameTaken
from soundstage.gateway.sessions.problems import (
    AppNotInSession,
    BadRequest,
    Draining,
    ExpiredSession,
    LowOnDisk,
    ReadOnlySession,
    TooManySessions,
    UnknownSession,
)
from soundstage.gateway.upstream.config import UpstreamConfigError
from soundstage.gateway.upstream.upstreams import UnknownUpstream
from soundstage.servers.catalogue import UnknownApp
from soundstage.worlds import BrokenWorld, UnknownWorld

REFUSALS: Mapping[type[Exception], int] = {
    ExpiredSession: 410,
    UnknownSession: 404,
    AppNotInSession: 404,
    UnknownApp: 404,
    UnknownUpstream: 404,
    UpstreamConfigError: 400,
    UnknownWorld: 400,
    BrokenWorld: 400,
    BrokenApp: 500,
    NameTaken: 409,
    ReadOnlySession: 409,
    BadRequest: 400,
    NestedTooDeeply: 400,
    StateError: 400,
    Draining: 503,
    RegistryFull: 507,
    RegistryUnavailable: 503,
    TooManyReadings: 503,
    ReadingBroken: 503,
    TooManySessions: 429,
    LowOnDisk: 507,
    DiskFull: 507,
    ContextFull: 507,
    ContextBusy: 409,
    ClockEnded: 409,
    ContextError: 503,
}
"""Exceptions whose message is for the client, with their HTTP status; the first match counts."""

INTERNAL = "an internal error; the gateway's log has the details"
"""The message for any other exception."""

_HEADERS: Mapping[int, Mapping[str, str]] = {
    401: {"WWW-Authenticate": "Bearer"},
    429: {"Retry-After": "5"},
    503: {"Retry-After": "2"},  # such a condition is usually temporary
}

_LASTING = (ContextDamaged, SnapshotDamaged)
"""Permanent conditions, for which the response suggests no retry."""

_LIMITS: Mapping[type[Exception], str] = {
    ContextFull: "bytes",
    DiskFull: "disk",
    LowOnDisk: "disk",
    RegistryFull: "disk",
    TooManyReadings: "readings",
    TooManySessions: "sessions",
}


_AGENT_MESSAGES: Mapping[type[Exception], str] = {
    RegistryFull: "nothing was changed: the gateway's disk is full; try again once its operator has freed disk space",
    RegistryUnavailable: "the gateway's registry is unavailable; try again shortly",
    SnapshotDamaged: "nothing was changed: the snapshot is damaged; restore another one, or reset the session",
    ContextDamaged: "the session's context is damaged; reset the session, restore a snapshot of it, or delete it",
    DiskFull: (
        "nothing was changed: it could not be stored, because the gateway's disk is full or cannot be written; free disk "
        "space and try again"
    ),
    BrokenApp: "the app cannot be loaded; the gateway's log has the details",
    BrokenWorld: "the session's world cannot be loaded; the gateway's log has the details",
    UpstreamConfigError: "the upstream's declaration is not valid; the gateway's log has the details",
}
"""Exceptions whose message names files, addresses or commands of the gateway, with the text for agents and runners.

Other exceptions of `REFUSALS` name only what the client sent or what its session contains.
"""


def agent_message(error: Exception) -> str:
    """Return the message of an exception as agents and runners may read it: without paths, addresses or commands."""
    if not isinstance(error, tuple(REFUSALS)):
        return INTERNAL
    return next((text for kind, text in _AGENT_MESSAGES.items() if isinstance(error, kind)), str(error))


def status_of(error: Exception) -> int:
    """Return the status of one of `REFUSALS`."""
    return next(status for kind, status in REFUSALS.items() if isinstance(error, kind))


def headers_of(status: int, error: Exception | None = None) -> dict[str, str]:
    """Return the headers of an error response with this status and cause."""
    return {} if isinstance(error, _LASTING) else dict(_HEADERS.get(status, {}))


def count_refusal(error: Exception) -> None:
    """Count a rejection by a limit when it is reported.

    Other exceptions are ignored, and rate limits are counted where they apply.
    """
    if (reason := _LIMITS.get(type(error))) is not None:
        metrics.REFUSED.labels(reason).inc()
