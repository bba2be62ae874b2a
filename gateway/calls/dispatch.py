"""Dispatch one call of a simulated app's tool as one step, whichever address it came through.

Arguments are checked in the app's dialect, the kernel runs, and its changes, the receipt and the journal row commit together.
The answer is returned after the commit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from soundstage.contexts.engine import budget
from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.budget import BudgetExceeded
from soundstage.contexts.engine.execution_limits import Executions, KernelExecution, record_stopped
from soundstage.contexts.engine.journal import SESSION_USER, Caller
from soundstage.contexts.engine.model_questions import NeedsModelAnswer, Question
from soundstage.contexts.engine.problems import FILE_ERRORS
from soundstage.contexts.engine.step import Step
from soundstage.gateway.calls.call import CallResult
from soundstage.gateway.calls.json_arguments import normalize_arguments
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.draw import ACTIVE
from soundstage.gateway.faults.inject import inject, save_counters
from soundstage.gateway.log import log
from soundstage.gateway.sessions.session import Session
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments
from soundstage.servers.catalogue import App
from soundstage.servers.faults import Hit, fault_words
from soundstage.servers.limits import is_too_long, too_large
from soundstage.servers.reply import Answer
from soundstage.servers.tool import Tool


def dispatch(
    session: Session,
    app: App,
    tool_name: str,
    arguments: Mapping[str, Any] | None,
    *,
    caller: Caller = SESSION_USER,
    at_ms: int | None = None,
    recorded: str | None = None,
    stopped: Collection[int] | None = None,
) -> CallResult:
    """Answer one call of a tool and record it.

    A replay passes the recorded time (`at_ms`), the recorded fault (`recorded`), and the runs that were `stopped`: scripts, and
    the kernel itself. Pass None as `arguments` for a call without any: some servers distinguish that from an empty object.

    Raises:
        NestedTooDeeply: the arguments are nested too deeply.
        ContextError: the session's context cannot be used (damaged, held by another process, grown to its limit, disk full).
            Nothing has changed then, and nothing is recorded.
    """
    sent = None if arguments is None else normalize_arguments(arguments)
    context = session.context
    context.executions = Executions(stopped)
    with context.step("call", tool_name, sent, app=app.name, caller=caller, at_ms=at_ms) as step:
        if ACTIVE in step.meta.counters or recorded is not None:
            delivery = inject(
                step,
                app,
                tool_name,
                sent,
                lambda name, given: _answer(step, session, app, name, given),
                recorded=recorded,
            )
            save_counters(step, delivery)
        else:
            delivery = Delivery(_answer(step, session, app, tool_name, sent))
        answer = delivery.answer
        step.ok, step.is_error, step.error_kind = delivery.ok, answer.is_error, answer.error_kind
        step.reply, step.fault, step.wait = delivery.reply, delivery.record, delivery.wait
    if context.executions.stopped:
        record_stopped(context, step.number)
    assert step.duration_us is not None
    return CallResult(app.name, tool_name, step.number, delivery, step.duration_us)


class _DryRunEnd(Exception):
    """Ends a dry run of a step."""


def model_question(
    session: Session, app: App, tool_name: str, arguments: Mapping[str, Any] | None, *, caller: Caller = SESSION_USER
) -> Question | None:
    """Return the question that the tool's kernel must ask a model to answer this call, or None.

    The call runs as a dry run and is rolled back, so nothing changes.

    Raises:
        NestedTooDeeply, ContextError: as `dispatch`.
    """
    sent = None if arguments is None else normalize_arguments(arguments)
    context = session.context
    context.may_ask = True
    try:
        with context.step("call", tool_name, sent, app=app.name, caller=caller) as step:
            _answer(step, session, app, tool_name, sent)
            raise _DryRunEnd
    except NeedsModelAnswer as needed:
        return needed.question
    except _DryRunEnd:
        return None
    finally:
        context.may_ask = False


def _answer(step: Step, session: Session, app: App, tool_name: str, arguments: Arguments | None) -> Answer:
    tool = app.tools.get(tool_name) or app.older.get(tool_name, app.any_name)
    view = session.context.app(app.name)
    if tool is None and (known := app.unanswered.get(tool_name)) is not None:
        return fault_words(app.name).wordings["unavailable"](Hit(known, arguments or {}, view, 0))
    if tool is None:
        return app.dialect.unknown_tool(tool_name)
    if arguments and is_too_long(arguments, tool.longest_string):
        return too_large(Hit(tool, {}, view, 0))
    run = step.context.executions.begin_kernel()
    waited_ms = step.context.waited_ms
    try:
        return _run(step, session, app, tool, arguments, view, run)
    except BudgetExceeded as exceeded:
        budget.stop()
        log.warning(
            "call exceeded its budget", call=f"{session.id}:{step.number}", app=app.name, tool=tool_name,
            reason=exceeded.reason,
        )  # fmt: skip
        step.context.executions.stop_kernel(run)
        # The point of interruption depends on the machine, so everything is rolled back: ids, randomness and waiting included.
        step.undo_changes()
        step.context.waited_ms = waited_ms + 1000 * budget.TIMEOUT_S
        answer = fault_words(app.name).wordings["timeout"](Hit(tool, arguments or {}, view, budget.TIMEOUT_S))
        return replace(answer, ok=False, error_kind="budget_exceeded")


def _run(
    step: Step,
    session: Session,
    app: App,
    tool: Tool,
    arguments: Arguments | None,
    view: AppContext,
    run: KernelExecution,
) -> Answer:
    """Run the tool's kernel once, within the CPU budget of a call.

    Raises:
        BudgetExceeded: the run exceeds the budget, or did so when the call was recorded.
    """
    executions = step.context.executions
    if executions.must_stop(run):
        raise BudgetExceeded("the recorded call exceeded its budget")
    try:
        kernel = tool.kernel  # imported before the budget starts
        budget.start(budget.CALL_CPU_S if executions.known is None else budget.REPLAY_CPU_S)
        reply = kernel(view, app.check(tool, arguments, view))
        if isinstance(reply, AppError):
            return app.dialect.failure(tool, reply, view)
        return app.dialect.success(tool, reply)
    except AppError as error:
        _undo_changes(step)
        return app.dialect.failure(tool, error, view)
    except FILE_ERRORS:
        raise
    except Exception as error:
        if (problem := session.cause_of(error)) is not None:
            raise problem from None
        call_id = f"{session.id}:{step.number}"
        log.exception("kernel raised", call=call_id, app=app.name, tool=tool.name)
        _undo_changes(step)
        return app.dialect.internal_error(tool, call_id)
    finally:
        budget.stop()


def _undo_changes(step: Step) -> None:
    if step.context.has_changes():
        step.undo_changes()
