"""What calls leave behind outside of their sessions: a line each in the log, and counts.

Neither is in a call's way: what calls have left is told together, a moment after the first of them, before anybody is shown the
counts, and at the end of the process.
"""

from __future__ import annotations

import asyncio
import atexit
import time
from collections import Counter
from datetime import UTC, datetime
from typing import NamedTuple

from soundstage.gateway import metrics
from soundstage.gateway.calls.call import Call
from soundstage.gateway.log import log_together
from soundstage.gateway.sessions.session import Session

_MOMENT_S = 0.05
_MOST = 1000
"""So many calls are told at once, at the latest."""


class _Noted(NamedTuple):
    """What is to be told of a call. Of the call itself nothing is held: what lives on is looked at by the collector."""

    session: str
    step: int | None
    app: str
    tool: str
    known: bool
    ok: bool
    error_kind: str | None
    duration_us: int
    at_s: float


_noted: list[_Noted] = []
_told_by: asyncio.AbstractEventLoop | None = None  # which will tell them in a moment


def note_call(session: Session, call: Call, *, known: bool) -> None:
    """Note a call, to be logged and counted. Agents choose the names that they call, so only `known` tools get a label of their
    own.
    """
    global _told_by
    _noted.append(
        _Noted(
            session.id, call.step, call.app, call.tool, known, call.delivery.ok, call.answer.error_kind, call.duration_us,
            time.time(),
        )
    )  # fmt: skip
    if _told_by is not (loop := asyncio.get_running_loop()):
        _told_by = loop
        loop.call_later(_MOMENT_S, tell_calls)
    if len(_noted) >= _MOST:
        tell_calls()


@atexit.register
def tell_calls() -> None:
    """Log and count all calls that have been noted."""
    global _told_by
    _told_by = None
    if not _noted:
        return
    noted = list(_noted)
    _noted.clear()
    log_together("call", [_line(one) for one in noted])
    outcomes: Counter[metrics.Outcome] = Counter()
    for one in noted:
        outcomes[metrics.outcome(one.app, one.tool if one.known else "unknown", one.error_kind)] += 1
        metrics.time_call(one.app, one.duration_us)
    for outcome, count in outcomes.items():
        metrics.count_calls(outcome, count)


def _line(noted: _Noted) -> dict[str, object]:
    return {
        "call": f"{noted.session}:{noted.step}",
        "app": noted.app,
        "tool": noted.tool,
        "ok": noted.ok,
        "error_kind": noted.error_kind,
        "duration_us": noted.duration_us,
        "timestamp": datetime.fromtimestamp(noted.at_s, UTC),
    }
