"""Sessions whose contexts are found damaged: what it is told as, and where it is remembered."""

from __future__ import annotations

import time
from types import TracebackType

import apsw

from soundstage.contexts.engine.intact import flaw
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

_LOOK_AGAIN_S = 10.0
"""Within this time a session is not looked at again: what an app cannot do may be asked of it again and again."""
_LOOKS_KEPT = 1000
_PACKAGE = "soundstage."
_OF_APPS = ("soundstage.kernels.", "soundstage.servers.")


class Damage:
    """What this process has found wrong with contexts, by session, until they are mended."""

    def __init__(self) -> None:
        self._found: dict[str, str] = {}
        self._looked: dict[str, float] = {}

    def of(self, session_id: str) -> str | None:
        """What has been found wrong with a session's context."""
        return self._found.get(session_id)

    def note(self, session_id: str, problem: ContextError) -> None:
        """Remember damage, and log it the first time. Anything else that may be wrong with a context passes by itself."""
        if isinstance(problem, ContextDamaged) and session_id not in self._found:
            self._found[session_id] = problem.reason
            log.error("a session's context is damaged", session=session_id, reason=problem.reason)

    def mended(self, session_id: str) -> None:
        """Forget what was wrong with a session's context."""
        self._found.pop(session_id, None)
        self._looked.pop(session_id, None)

    def behind(self, error: Exception, session_id: str, context: Context | None) -> ContextError | None:
        """What an error of any kind, raised while a context was used, means to whoever asked; None where the context has
        nothing to do with it. There is no context where it could not be opened.
        """
        if context is None:
            problem = error if isinstance(error, ContextError) else None
            if problem is not None:
                self.note(session_id, problem)
            return problem
        problem = told(error, context)
        if problem is None and (reason := self._seen(session_id, context)) is not None:
            problem = ContextDamaged(reason)
        if problem is not None:
            self.note(session_id, problem)
        return problem

    def _seen(self, session_id: str, context: Context) -> str | None:
        """What is wrong with a context, as far as is known or a look tells."""
        now = time.monotonic()
        if session_id in self._found or now - self._looked.get(session_id, -_LOOK_AGAIN_S) < _LOOK_AGAIN_S:
            return self._found.get(session_id)
        self._looked[session_id] = now
        if len(self._looked) > _LOOKS_KEPT:
            del self._looked[next(iter(self._looked))]
        return flaw(context)


def told(error: Exception, context: Context) -> ContextError | None:
    """What an error that was raised while a context was used says by itself; None where that is nothing of the context."""
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
    if isinstance(error, UNREADABLE) and not _in_an_apps_code(error.__traceback__):
        return ContextDamaged(error)
    return None


def _in_an_apps_code(trace: TracebackType | None) -> bool:
    """Whether an app read a text there that it had been given itself, not the context what it keeps."""
    module = ""
    while trace is not None:
        name = str(trace.tb_frame.f_globals.get("__name__"))
        module = name if name.startswith(_PACKAGE) else module
        trace = trace.tb_next
    return module.startswith(_OF_APPS)
