"""Inject faults into a call: the hook of `soundstage.gateway.calls.dispatch`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from soundstage.contexts.engine.step import Step
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults import kept
from soundstage.gateway.faults.draw import Alias, Drawn, counted, random_of
from soundstage.gateway.faults.kinds import KINDS
from soundstage.gateway.faults.record import Record, about, read_record
from soundstage.gateway.faults.schedule import ArmedRule, Rule, Scope
from soundstage.gateway.faults.turn import Turn
from soundstage.kernels.types import Arguments
from soundstage.servers.catalogue import App
from soundstage.servers.faults import fault_words
from soundstage.servers.reply import Answer
from soundstage.servers.tool import Tool

Run = Callable[[str, Arguments | None], Answer]


def strike(
    step: Step, app: App, name: str, arguments: Arguments | None, run: Run, *, recorded: str | None = None
) -> Delivery:
    """Answer the running step's call under the session's schedule.

    In a replay, a session without a schedule uses the fault that the journal has `recorded` for this step.
    """
    counters = step.meta.counters
    plan = kept.plan_of(step.context, step.meta)
    if plan is None:
        return (
            _repeat(step, app, name, arguments, run, read_record(recorded))
            if recorded
            else Delivery(run(name, arguments))
        )
    alias = None if name in app.tools else plan.alias(counters, app, name)
    if alias is not None:
        answer = _called_anew(alias, arguments, run)
        return Delivery(
            answer, record=Record(called=alias.tool, **about(alias.rule)).text(), counters=counted(counters)
        )
    tool = app.tools.get(name)
    if tool is None:
        return Delivery(run(name, arguments))
    drawn = plan.draw(step.context, step.meta, app, tool, arguments)
    if drawn is None:
        return Delivery(run(name, arguments), counters=counted(counters))
    if drawn.struck is None:
        record = Record(drawn=drawn.names).text() if drawn.names else None
        return Delivery(run(name, arguments), record=record, counters=drawn.counters)
    return landed(drawn.struck, _turn(step, app, tool, arguments, run, drawn.struck), drawn)


def settle(step: Step, delivery: Delivery) -> None:
    """Write the schedule's counters once the answer is final, because a kernel's error restarts the step."""
    if delivery.counters is not None:
        step.meta.counters.update(delivery.counters)


def landed(armed: ArmedRule, turn: Turn, drawn: Drawn) -> Delivery:
    """Apply the drawn fault, and count it if it takes effect."""
    made, has_landed = _injected(armed, turn, drawn.names, armed.scope if drawn.again else None)
    counters = {**drawn.counters, **drawn.if_landed} if has_landed and not drawn.again else drawn.counters
    return replace(made, counters=counters)


def _repeat(step: Step, app: App, name: str, arguments: Arguments | None, run: Run, record: Record) -> Delivery:
    """Repeat a step of a journal with its recorded fault."""
    if record.fault is None:
        return Delivery(run(name, arguments), record=record.text())
    rule = Rule(name=str(record.rule), fault=record.fault)
    armed = ArmedRule(rule, KINDS[record.fault].model_validate(record.attributes), "journal")
    if record.called is not None:
        return Delivery(_called_anew(Alias(armed, record.called), arguments, run), record=record.text())
    if not record.landed:
        return Delivery(run(name, arguments), record=record.text())
    return _injected(armed, _turn(step, app, app.tools[name], arguments, run, armed), record.drawn, record.again)[0]


def _turn(step: Step, app: App, tool: Tool, arguments: Arguments | None, run: Run, armed: ArmedRule) -> Turn:
    return Turn(
        context=step.context,
        app=app,
        tool=tool,
        arguments=arguments,
        random=random_of(step.meta.seed, armed.rule.name, step.number),
        words=fault_words(app.name),
        run=lambda: run(tool.name, arguments),
        step=step,
        mark=lambda detail: Record(landed=True, detail=detail, **about(armed)).text(),
    )


def _injected(armed: ArmedRule, turn: Turn, names: list[str], again: Scope | None) -> tuple[Delivery, bool]:
    """Return the result of the fault, and whether it had any effect on the call."""
    record = Record(**about(armed), drawn=names, again=again)
    made = armed.fault.land(turn)
    if made is None:
        return Delivery(turn.answer(), record=record.text()), False
    return replace(made, record=replace(record, landed=True, detail=made.detail, wait=made.wait).text()), True


def _called_anew(alias: Alias, arguments: Arguments | None, run: Run) -> Answer:
    return run(alias.tool, None if arguments is None else alias.rule.fault.old_arguments(arguments))
