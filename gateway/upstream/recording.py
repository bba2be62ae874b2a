"""Calls of upstreams' tools in the journal: a step with the upstream's name as app, without a receipt."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import apsw
import orjson

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.problems import ContextError
from soundstage.contexts.engine.store import Context, Receipt
from soundstage.gateway import metrics
from soundstage.gateway.dispatch import NestedTooDeeply, plain_json
from soundstage.gateway.faults.inject import Struck
from soundstage.gateway.log import log
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.upstream.config import Declaration
from soundstage.gateway.upstream.messages import Message

UpstreamErrorKind = Literal["failed", "unavailable", "input_required", "cancelled"]
"""Why an upstream's call is not `ok`: it said so itself; it did not answer; it asks for input first; the client left."""


class UpstreamCall:
    """One `tools/call` on its way to an upstream. It is recorded once, when its answer passes or fails to come."""

    def __init__(self, session: Session, declaration: Declaration, tool: Any, arguments: Any, *, known: bool) -> None:
        self._session = session
        self._declaration = declaration
        self._tool = declaration.redact(tool) if isinstance(tool, str) else ""
        self._arguments = arguments
        self._known = known
        self._started = time.perf_counter_ns()
        self.step: int | None = None
        self.error_kind: str | None = None
        self.ok = False
        self.is_error: bool | None = None
        self.duration_us = 0
        self.struck: Struck | None = None

    def answered(self, message: Message) -> None:
        """Record what the upstream answered."""
        if self.step is not None:
            return
        if "error" in message:
            self._record({"error": message["error"]}, False, None, "failed")
            return
        result = message.get("result")
        failed = isinstance(result, dict) and result.get("isError") is True
        if isinstance(result, dict) and result.get("resultType") == "input_required":
            self._record(result, False, None, "input_required")
        else:
            self._record(result, not failed, failed, "failed" if failed else None)

    def unanswered(self, kind: Literal["unavailable", "cancelled"], reply: Message | None) -> None:
        """Record that no answer came; `reply` is the error that the client gets instead."""
        if self.step is None:
            self._record(None if reply is None else {"error": reply["error"]}, False, None, kind)

    def _record(self, reply: Any, ok: bool, is_error: bool | None, kind: UpstreamErrorKind | None) -> None:
        self.ok, self.is_error, self.error_kind = ok, is_error, kind
        self.duration_us = (time.perf_counter_ns() - self._started) // 1000
        name = self._declaration.name
        try:
            self.step = self._append(reply, ok, is_error, kind)
        except (ContextError, apsw.Error, NestedTooDeeply, orjson.JSONEncodeError) as error:
            self.step = -1  # the upstream has acted all the same, so the answer goes on to the agent
            log.error(
                "a call could not be recorded", session=self._session.id, app=name, tool=self._tool, reason=str(error)
            )
            return
        log.info(
            "call",
            call=f"{self._session.id}:{self.step}",
            app=name,
            tool=self._tool,
            ok=ok,
            error_kind=kind,
            duration_us=self.duration_us,
        )
        # Agents choose the names they call, so only tools that the upstream lists get a label of their own.
        metrics.count_call(name, self._tool if self._known else "unknown", kind, self.duration_us)

    def _append(self, reply: Any, ok: bool, is_error: bool | None, kind: str | None) -> int:
        arguments, shown = self._redacted(self._arguments), self._redacted(reply)
        name, tool, struck = self._declaration.name, self._tool, self.struck
        fault, counters = (None, None) if struck is None else (struck.record, struck.counters)
        if struck is not None and struck.reply is None:
            shown, ok = None, struck.ok
        return _append(
            self._session.context,
            lambda step, at_ms, receipt: journal.Row(
                step, at_ms, name, tool, arguments, ok, is_error, kind, shown, fault, receipt, self.duration_us
            ),
            counters=counters,
        )

    def _redacted(self, value: Any) -> Any:
        """A value without the upstream's secrets, which a server may well echo."""
        if value is None or not self._declaration.secrets:
            return value
        plain = plain_json({"": value})
        text = orjson.dumps(plain).decode()
        redacted = self._declaration.redact(text)
        return value if redacted == text else orjson.loads(redacted)[""]


def repeat_call(context: Context, row: journal.Row) -> None:
    """Do the step of an upstream's call again in a replay: the answer is the recorded one, since the server behind it
    is no part of the session.
    """
    _append(context, lambda step, at_ms, receipt: replace(row, step=step, at_ms=at_ms, receipt=receipt), row.at_ms)


def _append(
    context: Context,
    row_of: Callable[[int, int, Receipt], journal.Row],
    at_ms: int | None = None,
    *,
    counters: Mapping[str, int] | None = None,
) -> int:
    with context.all_or_nothing():
        context.begin(at_ms)
        context.running_meta.counters.update(counters or {})
        step, now_ms = context.running_step, context.now_ms()
        row = row_of(step, now_ms, context.finish())
        journal.append(context, row)
        context.commit()
    return step
