"""The one way a call is answered, whichever face it came through.

Arguments are checked in the app's dialect, the kernel runs, and its changes, the receipt and the journal row commit
together. The answer is returned after the commit.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.problems import FILE_ERRORS
from soundstage.contexts.engine.store import Context
from soundstage.gateway.faults.draw import ACTIVE
from soundstage.gateway.faults.inject import Delivery, Struck, settle, strike
from soundstage.gateway.log import log
from soundstage.gateway.sessions.session import Session
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments
from soundstage.servers.catalogue import App
from soundstage.servers.reply import Answer

MAX_NESTING = 200


class NestedTooDeeply(ValueError):
    """Arguments that are no plain JSON any more; like a body that does not parse, they are no call to record."""

    def __init__(self) -> None:
        super().__init__(f"the arguments are nested too deeply; at most {MAX_NESTING} levels are taken")


@dataclass(frozen=True, slots=True)
class Call:
    """What became of one call. `delivery` is what a fault asks the face to do with the answer."""

    step: int
    answer: Answer
    duration_us: int
    delivery: Delivery | None = None

    @property
    def reply(self) -> dict[str, Any] | None:
        """What the client gets; None when the connection breaks instead."""
        return None if self.delivery is not None and self.delivery.dropped else self.answer.wire()


def dispatch(
    session: Session,
    app: App,
    tool_name: str,
    arguments: Mapping[str, Any] | None,
    *,
    at_ms: int | None = None,
    recorded: str | None = None,
) -> Call:
    """Answer one call of a tool and record it. A replay sets the time it sees (`at_ms`) and its fault (`recorded`).

    `arguments` is None where the call carried none: some servers tell that from an empty object.

    Raises:
        NestedTooDeeply: for such arguments.
        ContextError: the session's context cannot be used (damaged, held by another process, grown to its limit, disk full).
        Nothing has changed then, and nothing is recorded.
    """
    started = time.perf_counter_ns()
    context = session.context
    sent = None if arguments is None else plain_json(arguments)
    meta = context.begin(at_ms)
    try:
        if ACTIVE in meta.counters or recorded is not None:
            struck = strike(
                context, app, tool_name, sent, lambda name, given: _answer(session, app, name, given), recorded=recorded
            )
            settle(context, struck)
        else:
            struck = Struck(_answer(session, app, tool_name, sent))
        answer = struck.answer
        step = context.running_step
        at = context.now_ms()
        receipt = context.finish()
        duration_us = (time.perf_counter_ns() - started) // 1000
        journal.append(
            context,
            journal.Row(
                step=step,
                at_ms=at,
                app=app.name,
                tool=tool_name,
                arguments=sent,
                ok=struck.ok,
                is_error=answer.is_error,
                error_kind=answer.error_kind,
                reply=struck.reply,
                fault=struck.record,
                receipt=receipt,
                duration_us=duration_us,
            ),
        )
        context.commit()
    except FILE_ERRORS as error:
        problem = context.problem(error)
        context.rollback()
        raise problem from None
    except BaseException:
        context.rollback()
        raise
    return Call(step, answer, duration_us, struck.delivery)


def _answer(session: Session, app: App, tool_name: str, arguments: Arguments | None) -> Answer:
    context = session.context
    tool = app.tools.get(tool_name)
    if tool is None:
        return app.dialect.unknown_tool(tool_name)
    view = context.app(app.name)
    try:
        return app.dialect.success(tool, tool.kernel(view, app.dialect.check(tool, arguments)))
    except AppError as error:
        _undo(context)
        return app.dialect.failure(tool, error, view)
    except FILE_ERRORS:
        raise
    except Exception:
        call_id = f"{session.id}:{context.running_step}"
        log.exception("kernel raised", call=call_id, app=app.name, tool=tool_name)
        _undo(context)
        return app.dialect.internal_error(tool, call_id)


def _undo(context: Context) -> None:
    """Take back what the running step has changed, and keep the step."""
    if context.changed():
        at_ms = context.now_ms()
        context.rollback()
        context.begin(at_ms)


def plain_json(arguments: Mapping[str, Any]) -> Arguments:
    """Arguments as JSON has them, apart from the caller's objects.

    JSON parsers let through what JSON and SQLite do not have; they become what JavaScript makes of them: lone
    surrogates U+FFFD, integers beyond 64 bits floats, NaN and infinities null.

    Raises:
        NestedTooDeeply: for such arguments.
    """
    try:
        return orjson.loads(orjson.dumps(arguments))  # type: ignore[no-any-return]
    except (orjson.JSONEncodeError, orjson.JSONDecodeError):
        pass
    try:
        return orjson.loads(orjson.dumps(_clean(arguments, 0)))  # type: ignore[no-any-return]
    except (orjson.JSONEncodeError, orjson.JSONDecodeError, RecursionError):
        raise NestedTooDeeply from None


def _clean(value: Any, depth: int) -> Any:
    if depth > MAX_NESTING:
        raise RecursionError
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return value
    if isinstance(value, int):
        if -(2**63) <= value < 2**64:
            return value
        return float(value) if abs(value) < 10**308 else None
    if isinstance(value, Mapping):
        return {_clean(str(k), depth): _clean(v, depth + 1) for k, v in value.items()}
    return [_clean(item, depth + 1) for item in value]
