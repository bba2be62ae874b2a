"""Handmade journals whose results can be counted by hand. Their app `jotter` has pads, notes and postcards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.journal import Change
from soundstage.contexts.engine.schema import Object
from soundstage.grading.declarations import EntityDeclaration
from soundstage.grading.evidence import Evidence, InjectedFault, Key, Step, key_of_change, read_evidence, row_after
from soundstage.grading.task import Task

NOW = 1_795_136_400
JOTTER = {
    "pad": EntityDeclaration(("id",), {}, frozenset(), False, False, None),
    "note": EntityDeclaration(("id",), {"pad": (("pad_id", None),)}, frozenset({"updated"}), False, False, None),
    "postcard": EntityDeclaration(("id",), {}, frozenset(), False, True, lambda row: str(row["text"])),
}


def made(entity: str, row: Object) -> Change:
    return Change(app="jotter", entity=entity, id=row["id"], op="insert", before=None, after=row)


def gone(entity: str, row: Object) -> Change:
    return Change(app="jotter", entity=entity, id=row["id"], op="delete", before=row, after=None)


def changed(entity: str, row_id: str, before: Object, after: Object) -> Change:
    return Change(app="jotter", entity=entity, id=row_id, op="update", before=before, after=after)


def call(
    step: int,
    tool: str,
    arguments: Any = None,
    reply: Any = "",
    changes: Iterable[Change] = (),
    *,
    ok: bool = True,
    error_kind: str | None = None,
    fault: str | None = None,
    kind: Literal["call", "search", "duplicate"] = "call",
    app: str | None = "jotter",
) -> Step:
    """Return a step. Its reply is the content of the MCP result's text, or None if it was lost."""
    result = None if reply is None else {"content": [{"type": "text", "text": _text(reply)}]}
    record = None if fault is None else {"fault": fault, "landed": True}
    return Step(
        step, kind, NOW + step, app, tool, arguments or {}, ok, result, list(changes), error_kind, None, record
    )  # fmt: skip


def _text(reply: Any) -> str:
    import json

    return reply if isinstance(reply, str) else json.dumps(reply)


def injected_fault(step: int, fault: str, **values: Any) -> InjectedFault:
    usual: dict[str, Any] = {
        "app": "jotter", "tool": "add_note", "outage": step, "recovered": True, "recovered_by": "retry",
        "calls_to_recover": 1, "seconds_to_recover": 1.0, "flexible": False, "writes": True, "effects": 1,
        "doubled": False, "again": (),
    }  # fmt: skip
    return InjectedFault(step=step, fault=fault, **usual | values)


class MadeRecord:
    """The record of a handmade journal, on top of the rows that existed at its start."""

    def __init__(self, steps: Sequence[Step], start: Mapping[Key, Object], faults: Sequence[InjectedFault]) -> None:
        self._steps, self._faults = steps, faults
        self._rows: dict[Key, Object | None] = dict(start)
        for step in steps:
            for change in step.changes:
                key = key_of_change(change)
                self._rows[key] = row_after(self._rows.get(key), change)

    def steps(self) -> Iterable[Step]:
        return self._steps

    def struck(self) -> Iterable[InjectedFault]:
        return self._faults

    def declaration(self, app: str, entity: str) -> EntityDeclaration:
        return JOTTER[entity]

    def row(self, key: Key) -> Object | None:
        return self._rows.get(key)

    def rows(self, app: str, entity: str) -> Iterable[tuple[Key, Object]]:
        return [(k, row) for k, row in self._rows.items() if k[:2] == (app, entity) and row is not None]


def task(**members: Any) -> Task:
    """Return a task about the jotter. The members have the form of task.yaml."""
    usual: dict[str, Any] = {
        "task": "desk/jot", "version": 1, "title": "Jot", "kind": "operate", "language": "en", "author": {"name": "hand"},
        "world": "desk", "user": "ada", "apps": ["jotter"], "instruction": "Please note: milk.",
        "checks": [{"id": "noted", "title": "Noted", "created": {"jotter": "note"}, "where": {"text": {"eq": "milk"}}}],
    }  # fmt: skip
    return Task.model_validate(usual | members)


def evidence(
    of: Task,
    *steps: Step,
    start: Mapping[Key, Object] | None = None,
    faults: Sequence[InjectedFault] = (),
    names: Mapping[str, Key] | None = None,
    answer: str = "",
) -> Evidence:
    record = MadeRecord(steps, start or {}, faults)
    return read_evidence(record, of, names or {}, {}, ZoneInfo("Asia/Shanghai"), answer=answer)
