"""The call log: one log line and metrics for each call, outside of its session.

Neither delays the call. Calls are logged in batches: shortly after the first one, before the metrics are read, and at the end
of the process.
"""

from __future__ import annotations

import asyncio
import atexit
import time
from collections import Counter
from datetime import UTC, datetime
from typing import NamedTuple

from soundstage.gateway import metrics
from soundstage.gateway.calls.call import CallResult
from soundstage.gateway.log import log_together
from soundstage.gateway.sessions.session import Session

_FLUSH_AFTER_S = 0.05
_MAX_BATCH = 1000
"""Maximum number of calls in one batch."""


class _Entry(NamedTuple):
    """The fields to log for a call. It has no reference to the call itself: long-lived objects cost garbage collector time."""

    session: str
    step: int | None
    app: str
    tool: str
    known: bool
    ok: bool
    error_kind: str | None
    duration_us: int
    at_s: float


_queue: list[_Entry] = []
_flushing_loop: asyncio.AbstractEventLoop | None = None  # the event loop that will log the batch


def log_call(session: Session, call: CallResult, *, known: bool) -> None:
    """Queue a call for the log and the metrics.

    Agents choose the names that they call, so only `known` tools get a label with their name.
    """
    global _flushing_loop
    _queue.append(
        _Entry(
            session.id, call.step, call.app, call.tool, known, call.delivery.ok, call.answer.error_kind, call.duration_us,
            time.time(),
        )
    )  # fmt: skip
    if _flushing_loop is not (loop := asyncio.get_running_loop()):
        _flushing_loop = loop
        loop.call_later(_FLUSH_AFTER_S, flush_call_log)
    if len(_queue) >= _MAX_BATCH:
        flush_call_log()


@atexit.register
def flush_call_log() -> None:
    """Log and count all queued calls."""
    global _flushing_loop
    _flushing_loop = None
    if not _queue:
        return
    noted = list(_queue)
    _queue.clear()
    log_together("call", [_line(one) for one in noted])
    outcomes: Counter[metrics.Outcome] = Counter()
    for one in noted:
        outcomes[metrics.outcome(one.app, one.tool if one.known else "unknown", one.error_kind)] += 1
        metrics.time_call(one.app, one.duration_us)
    for outcome, count in outcomes.items():
        metrics.count_calls(outcome, count)


def _line(noted: _Entry) -> dict[str, object]:
    return {
        "call": f"{noted.session}:{noted.step}",
        "app": noted.app,
        "tool": noted.tool,
        "ok": noted.ok,
        "error_kind": noted.error_kind,
        "duration_us": noted.duration_us,
        "timestamp": datetime.fromtimestamp(noted.at_s, UTC),
    }
