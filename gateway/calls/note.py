"""What a call leaves behind outside of its session: a line in the log, and a count."""

from __future__ import annotations

from soundstage.gateway import metrics
from soundstage.gateway.calls.call import Call
from soundstage.gateway.log import log
from soundstage.gateway.sessions.session import Session


def note_call(session: Session, call: Call, *, known: bool) -> None:
    """Log and count a call. Agents choose the names that they call, so only `known` tools get a label of their own."""
    kind = call.answer.error_kind
    log.info(
        "call",
        call=f"{session.id}:{call.step}",
        app=call.app,
        tool=call.tool,
        ok=call.delivery.ok,
        error_kind=kind,
        duration_us=call.duration_us,
    )
    metrics.count_call(call.app, call.tool if known else "unknown", kind, call.duration_us)
