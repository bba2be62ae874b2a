"""Detect and remember damaged contexts, and map errors to `ContextError`."""

from __future__ import annotations

import time
from types import TracebackType

import apsw

from soundstage.contexts.engine.integrity import find_flaw
from soundstage.contexts.engine.problems import (
    FILE_ERRORS,
    UNREADABLE,
    ContextBusy,
    ContextDamaged,
    ContextError,
    ContextOccupied,
)
from soundstage.contexts.engine.store import Context
from soundstage.gateway.log import log

_EXAMINE_AGAIN_S = 10.0
"""Seconds between two examinations of a session. A client may repeat a request that an app cannot serve many times."""
_EXAMINATIONS_CACHED = 1000
_PACKAGE = "soundstage."
_APP_PACKAGES = ("soundstage.kernels.", "soundstage.servers.")


class Damage:
    """The damage that this process has found in contexts, by session, until it is repaired."""

    def __init__(self) -> None:
        self._reasons: dict[str, str] = {}
        self._examined_at: dict[str, float] = {}

    def of(self, session_id: str) -> str | None:
        """Return the damage found in a session's context, or None."""
        return self._reasons.get(session_id)

    def record(self, session_id: str, problem: ContextError) -> None:
        """Remember damage, and log it the first time. All other problems of a context are temporary and are ignored."""
        if isinstance(problem, ContextDamaged) and session_id not in self._reasons:
            self._reasons[session_id] = problem.reason
            log.error("a session's context is damaged", session=session_id, reason=problem.reason)

    def forget(self, session_id: str) -> None:
        """Forget the damage of a session's context."""
        self._reasons.pop(session_id, None)
        self._examined_at.pop(session_id, None)

    def cause_of(self, error: Exception, session_id: str, context: Context | None) -> ContextError | None:
        """Map an error raised while a context was used to a `ContextError`; None if the context did not cause it.

        Pass None as `context` if it could not be opened.
        """
        if context is None:
            problem = error if isinstance(error, ContextError) else None
            if problem is not None:
                self.record(session_id, problem)
            return problem
        problem = as_context_error(error, context)
        if problem is None and (reason := self._examine(session_id, context)) is not None:
            problem = ContextDamaged(reason)
        if problem is not None:
            self.record(session_id, problem)
        return problem

    def _examine(self, session_id: str, context: Context) -> str | None:
        """Return the context's find_flaw, from memory or from an examination, or None."""
        now = time.monotonic()
        if session_id in self._reasons or now - self._examined_at.get(session_id, -_EXAMINE_AGAIN_S) < _EXAMINE_AGAIN_S:
            return self._reasons.get(session_id)
        self._examined_at[session_id] = now
        if len(self._examined_at) > _EXAMINATIONS_CACHED:
            del self._examined_at[next(iter(self._examined_at))]
        return find_flaw(context)


def as_context_error(error: Exception, context: Context) -> ContextError | None:
    """Map an error to a `ContextError` by its type alone; None if it does not concern the context."""
    if isinstance(error, ContextError):
        return error
    if isinstance(error, apsw.BusyError):
        return ContextBusy()
    if isinstance(error, apsw.ThreadingViolationError):
        return ContextOccupied()
    if isinstance(error, apsw.ConnectionClosedError | apsw.CursorClosedError):
        return ContextError("the session was closed in the meantime; send the request again")
    if isinstance(error, FILE_ERRORS):
        return context.problem(error)
    if isinstance(error, UNREADABLE) and not _raised_in_app_code(error.__traceback__):
        return ContextDamaged(error)
    return None


def _raised_in_app_code(trace: TracebackType | None) -> bool:
    """Whether an app's code raised the error while it parsed its own input, not the stored state."""
    module = ""
    while trace is not None:
        name = str(trace.tb_frame.f_globals.get("__name__"))
        module = name if name.startswith(_PACKAGE) else module
        trace = trace.tb_next
    return module.startswith(_APP_PACKAGES)
