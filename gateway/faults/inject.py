"""Letting faults land on a call: the hook of `soundstage.gateway.dispatch`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.store import Context
from soundstage.gateway.faults import kept
from soundstage.gateway.faults.draw import Alias, Drawn, counted, random_of
from soundstage.gateway.faults.fault import Landing
from soundstage.gateway.faults.kinds import KINDS
from soundstage.gateway.faults.kinds.tool_renamed import ToolRenamed
from soundstage.gateway.faults.record import Record, about, read_record
from soundstage.gateway.faults.schedule import ArmedRule, Rule
from soundstage.gateway.faults.turn import Turn
from soundstage.kernels.types import Arguments
from soundstage.servers.catalogue import App
from soundstage.servers.faults import fault_words
from soundstage.servers.reply import Answer
from soundstage.servers.tool import Tool

Run = Callable[[str, Arguments | None], Answer]


@dataclass(frozen=True, slots=True)
class Delivery:
    """What the face does with an answer once it is committed: wait, send a notice beside it, or break the connection."""

    wait_s: float = 0.0
    notice: str | None = None
    dropped: bool = False


@dataclass(slots=True)
class Struck:
    """A call under a schedule: its answer as it is now, and what the journal and the face have to know."""

    answer: Answer
    record: str | None = None
    delivery: Delivery | None = None
    done: bool | None = None
    counters: dict[str, int] | None = None

    @property
    def ok(self) -> bool:
        return self.answer.ok if self.done is None else self.done

    @property
    def reply(self) -> dict[str, Any] | None:
        """What the client gets."""
        return None if self.delivery is not None and self.delivery.dropped else self.answer.wire()


def strike(
    context: Context,
    app: App,
    name: str,
    arguments: Arguments | None,
    run: Run,
    *,
    recorded: str | None = None,
) -> Struck:
    """Answer the running step's call under the session's schedule.

    A session without a schedule takes the fault that a journal has `recorded` for this step (a replay).
    """
    meta = context.running_meta
    plan = kept.plan_of(context, meta)
    if plan is None:
        return (
            _repeat(context, app, name, arguments, run, read_record(recorded))
            if recorded
            else Struck(run(name, arguments))
        )
    alias = None if name in app.tools else plan.alias(meta.counters, app, name)
    if alias is not None:
        answer = _called_anew(alias, arguments, run)
        record = Record(called=alias.tool, **about(alias.rule))
        return Struck(answer, record.text(), counters=counted(meta.counters))
    tool = app.tools.get(name)
    if tool is None:
        return Struck(run(name, arguments))
    drawn = plan.draw(context, meta, app, tool, arguments)
    if drawn is None:
        return Struck(run(name, arguments), counters=counted(meta.counters))
    if drawn.struck is None and not drawn.names:
        return Struck(run(name, arguments), counters=drawn.counters)
    if drawn.struck is None:
        return Struck(run(name, arguments), Record(drawn=drawn.names).text(), counters=drawn.counters)
    return landed(drawn.struck, _turn(context, app, tool, arguments, run, drawn.struck), drawn)


def settle(context: Context, struck: Struck) -> None:
    """Write what the schedule has to remember, once the answer stands: a kernel's refusal begins the step anew."""
    if struck.counters is not None:
        context.running_meta.counters.update(struck.counters)


def landed(armed: ArmedRule, turn: Turn, drawn: Drawn) -> Struck:
    """Let the drawn fault land, and count it if it does."""
    landing = armed.fault.land(turn)
    struck = _struck(armed, turn, landing, drawn.names, drawn.again)
    struck.counters = drawn.counters if landing is None or drawn.again else {**drawn.counters, **drawn.if_landed}
    return struck


def _repeat(context: Context, app: App, name: str, arguments: Arguments | None, run: Run, record: Record) -> Struck:
    """A step of a journal again, with the fault that it tells of."""
    if record.fault is None:
        return Struck(run(name, arguments), record.text())
    rule = Rule(name=str(record.rule), fault=record.fault)
    armed = ArmedRule(rule, KINDS[record.fault].model_validate(record.attributes), "journal")
    if record.called is not None:
        return Struck(_called_anew(Alias(armed, record.called), arguments, run), record.text())
    if not record.landed:
        return Struck(run(name, arguments), record.text())
    turn = _turn(context, app, app.tools[name], arguments, run, armed)
    return _struck(armed, turn, armed.fault.land(turn), record.drawn, record.again)


def _turn(context: Context, app: App, tool: Tool, arguments: Arguments | None, run: Run, armed: ArmedRule) -> Turn:
    meta = context.meta
    assert meta is not None
    return Turn(
        context=context,
        app=app,
        tool=tool,
        arguments=arguments,
        random=random_of(meta.seed, armed.rule.name, meta.step + 1),
        words=fault_words(app.name),
        run=lambda: run(tool.name, arguments),
        mark=Record(before=True, landed=True, **about(armed)).text(),
    )


def _struck(armed: ArmedRule, turn: Turn, landing: Landing | None, names: list[str], again: bool) -> Struck:
    told = {**about(armed), "drawn": names, "again": again}
    if landing is None:
        return Struck(turn.answer(), Record(**told).text())
    delivery = None
    if landing.dropped or landing.wait_s or landing.notice is not None:
        delivery = Delivery(landing.wait_s, landing.notice, landing.dropped)
    record = Record(**told, landed=True, detail=landing.detail)
    return Struck(landing.answer, record.text(), delivery, landing.done)


def _called_anew(alias: Alias, arguments: Arguments | None, run: Run) -> Answer:
    assert isinstance(alias.rule.fault, ToolRenamed)
    return run(alias.tool, None if arguments is None else alias.rule.fault.old_arguments(arguments))
