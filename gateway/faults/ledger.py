"""What faults did to a session, read from its journal: what was drawn, what landed, and how the agent coped.

The journal alone is the source, so ledger, journal and rows cannot disagree, and a rewind or a fork takes the ledger along.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import orjson
from typing_extensions import TypedDict  # pydantic makes a schema of it, which Python 3.11 cannot give by its own

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import iso
from soundstage.contexts.engine.journal import MADE_BY_FAULT
from soundstage.contexts.engine.store import Context
from soundstage.gateway.faults.kinds import KINDS
from soundstage.gateway.faults.payload import leaves
from soundstage.gateway.faults.record import Record, read_record
from soundstage.servers.catalogue import app_names, load_app
from soundstage.servers.tool import Tool

HORIZON = 100
"""How many of the calls after a fault can be its recovery."""

_NEXT = 3  # calls in which a change of plan shows
_SAME = 0.6  # share of the arguments' values that two calls of one intent have in common
_DAMAGING = frozenset({"retry", "confirming"})


class Entry(TypedDict):
    """One fault.

    `landed` is False for one that was drawn but could do nothing. `hits` counts the calls it struck while it lasted. `saw`
    is what the agent got, None if nothing. `recovered` is None where nothing can tell. `effects` counts the steps from the
    fault to the retry that succeeded in which this intent made new objects; `doubled` says that there was more than one.
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
    hits: int
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


@dataclass(slots=True)
class Seen:
    """A row of the journal with what is read from it once."""

    row: journal.Row
    record: Record | None
    name: str
    tool: Tool | None
    values: Counter[str]

    @property
    def whole(self) -> bool:
        """Whether the call was done and its answer came through undamaged."""
        if not self.row.ok or self.row.reply is None:
            return False
        record = self.record
        return record is None or not record.landed or KINDS[str(record.fault)].healing not in _DAMAGING


def ledger(context: Context) -> list[Entry]:
    """Every fault of the session, in order."""
    seen = [_seen(row) for row in journal.read(context)]
    calls = [one for one in seen if one.row.app is not None and one.row.kind not in MADE_BY_FAULT]
    begun = {one.row.step: i for i, one in enumerate(calls)}
    entries: list[Entry] = []
    for before, one in zip([None, *seen], seen, strict=False):
        record = one.record
        if record is None or one.row.kind in MADE_BY_FAULT or record.called is not None:
            continue
        if record.again:
            _count_hit(entries, record)
        else:
            after = begun[one.row.step] + 1
            first = before if before is not None and before.row.kind in MADE_BY_FAULT else None
            entries.append(_entry(context, one, first, calls[after : after + HORIZON], record))
    return entries


def steps_with_faults(context: Context) -> list[int]:
    """The steps in which a fault landed."""
    return [e["step"] for e in ledger(context) if e["landed"]]


def start_of(context: Context, step: int) -> int | None:
    """The step before everything that the fault of this step did; None where no fault landed in it."""
    rows = {row.step: row for row in journal.read(context, after=max(0, step - 2), limit=2)}
    row, earlier = rows.get(step), rows.get(step - 1)
    if row is None or row.fault is None or not read_record(row.fault).landed:
        return None
    made_before = row.kind not in MADE_BY_FAULT and earlier is not None and earlier.kind in MADE_BY_FAULT
    return step - 2 if made_before else step - 1


def _seen(row: journal.Row) -> Seen:
    record = None if row.fault is None else read_record(row.fault)
    name = record.called if record is not None and record.called else row.tool
    tool = load_app(row.app).tools.get(name) if row.app in app_names() else None
    return Seen(row, record, name, tool, Counter(str(v) for _, v in leaves(row.arguments or {}) if v is not None))


def _count_hit(entries: list[Entry], record: Record) -> None:
    for entry in reversed(entries):
        if entry["rule"] == record.rule and entry["landed"]:
            entry["hits"] += 1
            return


def _entry(context: Context, one: Seen, first: Seen | None, later: list[Seen], record: Record) -> Entry:
    """`first` is the step that the fault made before the call's, `later` the calls after it."""
    recovered, by, found = _recovery(context, one, first, later, record) if record.landed else (None, None, None)
    row, until = one.row, [] if found is one else later if found is None else later[: later.index(found) + 1]
    twice = [first] if first is not None and first.row.kind == "duplicate" else []
    effects = sum(bool(_new_ids(context, s)) for s in (*twice, one, *_retries(one, later, record)))
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
        hits=int(record.landed),
        detail=record.detail,
        saw=row.reply,
        recovered=recovered,
        recovered_at=None if found is None else found.row.step,
        recovered_by=by,
        calls_to_recover=None if found is None else len(until),
        seconds_to_recover=None if found is None else (found.row.at_ms - row.at_ms) / 1000,
        flexible=any(not _same_tool(one, s) for s in later[:_NEXT]),
        writes=one.tool is not None and one.tool.effect == "create",
        effects=effects,
        doubled=effects > 1,
    )


def _recovery(
    context: Context, one: Seen, first: Seen | None, later: list[Seen], record: Record
) -> tuple[bool | None, str | None, Seen | None]:
    """Whether the agent coped, how, and in which row that shows."""
    fault = KINDS[str(record.fault)].model_validate(record.attributes)
    match fault.healing:
        case "itself":
            return (True, "waiting", one) if one.row.ok else (None, None, None)
        case "condition":
            return fault.coped(context), None, None
        case "reading":
            found = next((s for s in [one, *later] if _shows(context, s, first)), None)
            return found is not None, None if found is None else "reading", found
        case "undoing":
            return _undone(context, one, first, later)
        case healing:
            found = next(
                (s for s in later if _same_end(one, s) or (healing == "confirming" and _shows(context, s, one))), None
            )
            if found is None:
                return False, None, None
            by = "retry" if _same_tool(one, found) else "another tool" if _same_end(one, found) else "reading"
            return True, by, found


def _retries(one: Seen, later: list[Seen], record: Record) -> list[Seen]:
    """The later calls of the same intent, up to the first that succeeded; none where the struck call was answered."""
    if not record.landed or KINDS[str(record.fault)].healing not in _DAMAGING:
        return []
    alike = [s for s in later if _alike(one, s)]
    done = next((i for i, s in enumerate(alike) if s.whole), len(alike))
    return alike[: done + 1]


def _undone(
    context: Context, one: Seen, first: Seen | None, later: list[Seen]
) -> tuple[bool | None, str | None, Seen | None]:
    made = [_new_ids(context, s) for s in (first, one) if s is not None]
    if len(made) < 2 or not all(made):
        return True, "once only", one
    ids = set().union(*made)
    for s in later:
        if s.row.ok and s.tool is not None and _touched(context, s) & ids and _removes(context, s):
            return True, "undoing", s
    return False, None, None


def _same_end(one: Seen, other: Seen) -> bool:
    """Whether a later call reached what the struck one wanted, by the same tool or by one of the same purpose."""
    if not other.whole or other.row.app != one.row.app:
        return False
    if _same_tool(one, other):
        return _alike(one, other)
    if one.tool is None or other.tool is None:  # of an upstream nobody here knows what its tools are for
        return False
    same_purpose = other.tool.effect == one.tool.effect and other.tool.entity == one.tool.entity
    shared = {v for v in one.values & other.values if len(v) >= 3}
    return same_purpose and (bool(shared) or not one.values)


def _alike(one: Seen, other: Seen) -> bool:
    """Whether two calls are of one intent: the same tool, and mostly the same arguments."""
    if not _same_tool(one, other):
        return False
    total = max(one.values.total(), other.values.total())
    return total == 0 or (one.values & other.values).total() / total >= _SAME


def _same_tool(one: Seen, other: Seen) -> bool:
    return (one.row.app, one.name) == (other.row.app, other.name)


def _shows(context: Context, reading: Seen, changed: Seen | None) -> bool:
    """Whether a read shows an object that another step changed."""
    if changed is None or not reading.whole or reading.tool is None or reading.tool.effect != "read":
        return False
    text = orjson.dumps(reading.row.reply).decode()
    return any(key in text for key in _touched(context, changed))


def _touched(context: Context, one: Seen) -> set[str]:
    return {_key(c) for c in journal.changes(context, one.row.receipt.changeset)}


def _new_ids(context: Context, one: Seen) -> set[str]:
    return {_key(c) for c in journal.changes(context, one.row.receipt.changeset) if c["op"] == "insert"}


def _removes(context: Context, one: Seen) -> bool:
    assert one.tool is not None
    return one.tool.effect == "delete" or any(
        c["op"] == "delete" for c in journal.changes(context, one.row.receipt.changeset)
    )


def _key(change: journal.Change) -> str:
    return str(change["id"][-1] if isinstance(change["id"], list) else change["id"])
