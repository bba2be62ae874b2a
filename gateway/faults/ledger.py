"""The ledger: the faults of a session and the agent's recovery, computed from its journal.

The journal alone is the source, so ledger, journal and rows cannot disagree, and a rewind or a fork includes the ledger.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from typing_extensions import (
    TypedDict,
)  # pydantic builds a schema from it, which typing.TypedDict of Python 3.11 does not support

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import iso
from soundstage.contexts.engine.journal import MADE_BY_FAULT
from soundstage.contexts.engine.store import Context
from soundstage.gateway.faults.behaviour import AgentBehaviour
from soundstage.gateway.faults.intent import (
    DAMAGING,
    ObservedCall,
    changed_keys,
    created_keys,
    deletes_object,
    is_alternative,
    observe,
    same_intent,
    same_tool,
    shows_change,
)
from soundstage.gateway.faults.kinds import KINDS
from soundstage.gateway.faults.record import Record, read_record

HORIZON = 100
"""Number of calls after a fault that can count as its recovery."""


class Entry(TypedDict):
    """One call that a fault hit, or was drawn for.

    `landed` is False if the fault had no effect. `outage` is the step of the first call of the same occurrence of the fault:
    this call's own step unless it continues an earlier one, None if it had no effect. `saw` is what the agent received, None if
    nothing. `recovered` is None if it cannot be determined. `flexible` means that the agent changed its plan (see
    `AgentBehaviour`). `effects` counts the steps from the fault to the successful retry in which this intent created objects;
    `doubled` means that there was more than one, and `again` lists the retries that repeated an effect.
    """

    step: int
    at: str
    rule: str | None
    fault: str | None
    drawn: list[str]
    app: str
    tool: str
    arguments: Any
    landed: bool
    outage: int | None
    detail: dict[str, Any] | None
    saw: Any
    recovered: bool | None
    recovered_at: int | None
    recovered_by: str | None
    calls_to_recover: int | None
    seconds_to_recover: float | None
    flexible: bool
    writes: bool
    effects: int
    doubled: bool
    again: list[int]


def ledger(context: Context) -> list[Entry]:
    """Return every call of the session that a fault was drawn for, in order."""
    rows = [observe(row) for row in journal.read(context)]
    calls = [one for one in rows if one.row.app is not None and one.row.kind not in MADE_BY_FAULT]
    begun = {one.row.step: i for i, one in enumerate(calls)}
    behaviour = AgentBehaviour(context, calls)
    outages: dict[tuple[str | None, ...], int] = {}
    entries: list[Entry] = []
    for before, one in pairwise([None, *rows]):
        assert one is not None
        record = one.record
        if record is None or one.row.kind in MADE_BY_FAULT or record.called is not None:
            continue
        call = begun[one.row.step]
        first = before if before is not None and before.row.kind in MADE_BY_FAULT else None
        later = calls[call + 1 : call + 1 + HORIZON]
        flexible = record.landed and behaviour.changed_after(call)
        outage = _outage(outages, one, record)
        entries.append(_entry(context, one, first, later, record, outage, flexible))
    return entries


def _outage(outages: dict[tuple[str | None, ...], int], one: ObservedCall, record: Record) -> int | None:
    """Return the first step of the outage that hit a call.

    `outages` are the newest ones, by rule, app and, for faults of single tools, tool.
    """
    if not record.landed:
        return None
    in_app, in_tool = (record.rule, one.row.app), (record.rule, one.row.app, one.row.tool)
    if record.again is None:
        outages[in_app] = outages[in_tool] = one.row.step
    return outages.setdefault(in_tool if record.again == "tool" else in_app, one.row.step)


def steps_with_faults(context: Context, *, limit: int) -> list[int]:
    """Return the last steps in which a fault took effect, oldest first."""
    made = ", ".join(f"'{kind}'" for kind in sorted(MADE_BY_FAULT))
    rows: Any = context.execute(
        "SELECT step FROM _journal WHERE fault IS NOT NULL AND json_extract(fault, '$.landed') "  # noqa: S608 constant
        f"AND json_extract(fault, '$.called') IS NULL AND kind NOT IN ({made}) ORDER BY step DESC LIMIT ?",
        (limit,),
    ).fetchall()
    return [step for (step,) in reversed(rows)]


def start_of(context: Context, step: int) -> int | None:
    """Return the step before all actions of this step's fault; None if no fault took effect in it."""
    rows = {row.step: row for row in journal.read(context, after=max(0, step - 2), limit=2)}
    row, earlier = rows.get(step), rows.get(step - 1)
    if row is None or row.fault is None or not read_record(row.fault).landed:
        return None
    made_before = row.kind not in MADE_BY_FAULT and earlier is not None and earlier.kind in MADE_BY_FAULT
    return step - 2 if made_before else step - 1


def _entry(
    context: Context,
    one: ObservedCall,
    first: ObservedCall | None,
    later: list[ObservedCall],
    record: Record,
    outage: int | None,
    flexible: bool,
) -> Entry:
    """Create the entry. `first` is the step that the fault made before the call's, `later` the calls after it."""
    recovered, by, evidence = _recovery(context, one, first, later, record) if record.landed else (None, None, None)
    row, until = one.row, [] if evidence is one else later if evidence is None else later[: later.index(evidence) + 1]
    twice = [first] if first is not None and first.row.kind == "duplicate" else []
    retries = _retries(one, later, record)
    made = [s.row.step for s in (*twice, one, *retries) if created_keys(context, s)]
    retried = {s.row.step for s in retries}
    return Entry(
        step=row.step,
        at=iso(row.at_ms),
        rule=record.rule,
        fault=record.fault,
        drawn=record.drawn,
        app=str(row.app),
        tool=row.tool,
        arguments=row.arguments,
        landed=record.landed,
        outage=outage,
        detail=record.detail,
        saw=row.reply,
        recovered=recovered,
        recovered_at=None if evidence is None else evidence.row.step,
        recovered_by=by,
        calls_to_recover=None if evidence is None else len(until),
        seconds_to_recover=None if evidence is None else (evidence.row.at_ms - row.at_ms) / 1000,
        flexible=flexible,
        writes=one.tool is not None and one.tool.effect == "create",
        effects=len(made),
        doubled=len(made) > 1,
        again=[step for step in made[1:] if step in retried],
    )


def _recovery(
    context: Context, one: ObservedCall, first: ObservedCall | None, later: list[ObservedCall], record: Record
) -> tuple[bool | None, str | None, ObservedCall | None]:
    """Return whether the agent recovered, how, and in which journal row."""
    fault = KINDS[str(record.fault)].model_validate(record.attributes)
    match fault.evidence:
        case "itself":
            return (True, "waiting", one) if one.row.ok else (None, None, None)
        case "condition":
            return fault.shows_recovery(context), None, None
        case "reading":
            evidence = next((s for s in [one, *later] if shows_change(context, s, first)), None)
            return evidence is not None, None if evidence is None else "reading", evidence
        case "undoing":
            return _undone(context, one, first, later)
        case kind:
            evidence = next(
                (s for s in later if _same_goal(one, s) or (kind == "confirming" and shows_change(context, s, one))),
                None,
            )
            if evidence is None:
                return False, None, None
            by = "retry" if same_tool(one, evidence) else "another tool" if _same_goal(one, evidence) else "reading"
            return True, by, evidence


def _retries(one: ObservedCall, later: list[ObservedCall], record: Record) -> list[ObservedCall]:
    """Return the later calls of the same intent, up to the first successful one; empty if the hit call was answered."""
    if not record.landed or KINDS[str(record.fault)].evidence not in DAMAGING:
        return []
    same = [s for s in later if same_intent(one, s)]
    done = next((i for i, s in enumerate(same) if s.succeeded), len(same))
    return same[: done + 1]


def _undone(
    context: Context, one: ObservedCall, first: ObservedCall | None, later: list[ObservedCall]
) -> tuple[bool | None, str | None, ObservedCall | None]:
    made = [created_keys(context, s) for s in (first, one) if s is not None]
    if len(made) < 2 or not all(made):
        return True, "once only", one
    ids = set().union(*made)
    for s in later:
        if s.row.ok and s.tool is not None and changed_keys(context, s) & ids and deletes_object(context, s):
            return True, "undoing", s
    return False, None, None


def _same_goal(one: ObservedCall, other: ObservedCall) -> bool:
    """Whether a later call reached the goal of the hit one, by the same tool or by one with the same purpose."""
    if not other.succeeded or other.row.app != one.row.app:
        return False
    return same_intent(one, other) or is_alternative(one, other)
