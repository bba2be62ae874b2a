"""Inject faults into a call: the hook of `soundstage.gateway.calls.dispatch`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from soundstage.contexts.engine.step import Step
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults import schedule_store
from soundstage.gateway.faults.draw import Alias, Decision, count_call, random_of
from soundstage.gateway.faults.intercepted import InterceptedCall
from soundstage.gateway.faults.kinds import KINDS
from soundstage.gateway.faults.record import Record, fault_members, read_record
from soundstage.gateway.faults.schedule import ArmedRule, Rule, Scope
from soundstage.kernels.types import Arguments
from soundstage.servers.catalogue import App
from soundstage.servers.faults import fault_words
from soundstage.servers.reply import Answer
from soundstage.servers.tool import Tool

Run = Callable[[str, Arguments | None], Answer]


def inject(
    step: Step, app: App, name: str, arguments: Arguments | None, run: Run, *, recorded: str | None = None
) -> Delivery:
    """Answer the running step's call under the session's schedule.

    In a replay, a session without a schedule uses the fault that the journal has `recorded` for this step.
    """
    counters = step.meta.counters
    plan = schedule_store.plan_of(step.context, step.meta)
    if plan is None:
        return (
            _repeat(step, app, name, arguments, run, read_record(recorded))
            if recorded
            else Delivery(run(name, arguments))
        )
    alias = None if name in app.tools else plan.alias(counters, app, name)
    if alias is not None:
        answer = _call_by_old_name(alias, arguments, run)
        return Delivery(
            answer, record=Record(called=alias.tool, **fault_members(alias.rule)).text(), counters=count_call(counters)
        )
    tool = app.tools.get(name)
    if tool is None:
        return Delivery(run(name, arguments))
    decision = plan.draw(step.context, step.meta, app, tool, arguments)
    if decision is None:
        return Delivery(run(name, arguments), counters=count_call(counters))
    if decision.rule is None:
        record = Record(drawn=decision.drawn_rules).text() if decision.drawn_rules else None
        return Delivery(run(name, arguments), record=record, counters=decision.counters)
    return apply_fault(decision.rule, _intercepted(step, app, tool, arguments, run, decision.rule), decision)


def save_counters(step: Step, delivery: Delivery) -> None:
    """Write the schedule's counters once the answer is final, because a kernel's error restarts the step."""
    if delivery.counters is not None:
        step.meta.counters.update(delivery.counters)


def apply_fault(armed: ArmedRule, call: InterceptedCall, decision: Decision) -> Delivery:
    """Apply the drawn fault, and count it if it takes effect."""
    made, took_effect = _apply(armed, call, decision.drawn_rules, armed.scope if decision.continues_outage else None)
    begins = took_effect and not decision.continues_outage
    return replace(made, counters=decision.counters | decision.counters_if_applied if begins else decision.counters)


def _repeat(step: Step, app: App, name: str, arguments: Arguments | None, run: Run, record: Record) -> Delivery:
    """Repeat a step of a journal with its recorded fault."""
    if record.fault is None:
        return Delivery(run(name, arguments), record=record.text())
    rule = Rule(name=str(record.rule), fault=record.fault)
    armed = ArmedRule(rule, KINDS[record.fault].model_validate(record.attributes), "journal")
    if record.called is not None:
        return Delivery(_call_by_old_name(Alias(armed, record.called), arguments, run), record=record.text())
    if not record.landed:
        return Delivery(run(name, arguments), record=record.text())
    return _apply(armed, _intercepted(step, app, app.tools[name], arguments, run, armed), record.drawn, record.again)[0]


def _intercepted(
    step: Step, app: App, tool: Tool, arguments: Arguments | None, run: Run, armed: ArmedRule
) -> InterceptedCall:
    return InterceptedCall(
        context=step.context,
        app=app,
        tool=tool,
        arguments=arguments,
        random=random_of(step.meta.seed, armed.rule.name, step.number),
        words=fault_words(app.name),
        run=lambda: run(tool.name, arguments),
        step=step,
        mark=lambda detail: Record(landed=True, detail=detail, **fault_members(armed)).text(),
    )


def _apply(armed: ArmedRule, call: InterceptedCall, names: list[str], again: Scope | None) -> tuple[Delivery, bool]:
    """Return the result of the fault, and whether it had any effect on the call."""
    record = Record(**fault_members(armed), drawn=names, again=again)
    made = armed.fault.apply(call)
    if made is None:
        return Delivery(call.answer(), record=record.text()), False
    return replace(made, record=replace(record, landed=True, detail=made.detail, wait=made.wait).text()), True


def _call_by_old_name(alias: Alias, arguments: Arguments | None, run: Run) -> Answer:
    return run(alias.tool, None if arguments is None else alias.rule.fault.old_arguments(arguments))
