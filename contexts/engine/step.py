"""The only writer of steps. Changes, receipt, journal row and the session's own row are committed together or not at all."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

import orjson

from soundstage.contexts.engine import checkpoints
from soundstage.contexts.engine.clock import END_MS
from soundstage.contexts.engine.journal import SESSION_USER, TICKING, Caller, Kind
from soundstage.contexts.engine.problems import ClockEnded

if TYPE_CHECKING:
    from soundstage.contexts.engine.clock import Wait
    from soundstage.contexts.engine.store import Context, Meta

_APPEND = "INSERT INTO _journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class Step:
    """A running step, used as `with context.step(…) as step`.

    Leaving the block writes the step and commits; an exception rolls everything back. Set the outcome before the block ends:
    `ok`, and, if the client receives a reply, `is_error`, `error_kind` and `reply`. `fault` is the journal's record of an
    injected fault. `wait` is how long the client waits for the reply; the session's clock advances by it. `duration_us` is
    measured from the creation of the step unless it is set. `number` is its number in the journal, `meta` the session's own
    row.
    """

    __slots__ = (
        "_app",
        "_arguments",
        "_at_ms",
        "_caller",
        "_context",
        "_kind",
        "_started",
        "_tool",
        "duration_us",
        "error_kind",
        "fault",
        "is_error",
        "meta",
        "number",
        "ok",
        "reply",
        "wait",
    )

    meta: Meta
    number: int

    def __init__(
        self,
        context: Context,
        kind: Kind,
        tool: str,
        arguments: Any,
        *,
        app: str | None = None,
        caller: Caller = SESSION_USER,
        at_ms: int | None = None,
    ) -> None:
        self._started = time.perf_counter_ns()
        self._context = context
        self._kind = kind
        self._tool = tool
        self._arguments = arguments
        self._app = app
        self._caller = caller
        self._at_ms = at_ms
        self.ok = True
        self.is_error: bool | None = None
        self.error_kind: str | None = None
        self.reply: Any = None
        self.fault: str | None = None
        self.wait: Wait | None = None
        self.duration_us: int | None = None

    def __enter__(self) -> Step:
        self._begin(self._at_ms)
        # The effect of an upstream call is recorded in any case, because it has already happened.
        if self._at_ms is None and self._kind == "call" and self._context.now_ms() >= END_MS:
            self._context.rollback()
            raise ClockEnded
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._context.abort(error)
            return
        try:
            if self.duration_us is None:
                self.duration_us = (time.perf_counter_ns() - self._started) // 1000
            self._write(
                self._kind, self._tool, self._arguments, self._app, self.ok, self.is_error, self.error_kind, self.reply,
                self.fault, self.duration_us, self.wait,
            )  # fmt: skip
        except BaseException as failed:
            self._context.abort(failed)
            raise

    @property
    def context(self) -> Context:
        """Return the context that the step changes."""
        return self._context

    def undo_changes(self) -> None:
        """Take back what the step has changed so far, and keep the step. For how long its app has waited stays."""
        now_ms, waited_ms = self._context.now_ms(), self._context.waited_ms
        self._context.rollback()
        self._begin(now_ms)
        self._context.waited_ms = waited_ms

    def split(
        self,
        kind: Kind,
        tool: str,
        arguments: Any,
        *,
        app: str | None = None,
        ok: bool = True,
        is_error: bool | None = None,
        error_kind: str | None = None,
        fault: str | None = None,
    ) -> None:
        """Commit the changes so far as a separate step. This step starts again after it, at the same time."""
        now_ms = self._context.now_ms()
        self._write(kind, tool, arguments, app, ok, is_error, error_kind, None, fault, 0)
        self._begin(now_ms)

    def _begin(self, at_ms: int | None) -> None:
        self.meta = self._context.begin(at_ms)
        self._context.acting = self._caller.user
        self.number = self.meta.step + 1

    def _write(
        self,
        kind: Kind,
        tool: str,
        arguments: Any,
        app: str | None,
        ok: bool,
        is_error: bool | None,
        error_kind: str | None,
        reply: Any,
        fault: str | None,
        duration_us: int,
        wait: Wait | None = None,
    ) -> None:
        context, caller = self._context, self._caller
        now_ms = context.now_ms()
        receipt = context.finish(ticks=kind in TICKING, wait=wait)
        context.ask(
            _APPEND,
            (
                self.number,
                kind,
                now_ms,
                caller.user,
                caller.client,
                app,
                tool,
                None if arguments is None else orjson.dumps(arguments).decode(),
                ok,
                is_error,
                error_kind,
                None if reply is None else orjson.dumps(reply).decode(),
                fault,
                receipt.changeset,
                duration_us,
                receipt.before,
            ),
        )
        if self.number % checkpoints.EVERY == 0:
            checkpoints.write(context.connection, self.number)
        context.commit()
