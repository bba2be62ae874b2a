"""What a trial left behind: its calls, the rows they touched with every state these went through, and the answer.

It is read from the session's record once, be that its context or what a gateway tells of it, and is plain data from then on.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from zoneinfo import ZoneInfo

import orjson

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.journal import Change
from soundstage.contexts.engine.schema import Object
from soundstage.contexts.engine.store import Context
from soundstage.grading.declared import Declared, declared
from soundstage.grading.task import Outcome, Task, all_checks

Key = tuple[str, str, str]
"""App, entity, id; of keys with several columns, their values joined by a slash."""


@dataclass(frozen=True, slots=True)
class Step:
    """A line of the journal, as far as it is judged. `now` is the session's time in epoch seconds, `user` who acted (None: whom
    the session belongs to), `fault` the raw record of what struck it, `fits` whether the arguments fitted the tool's schema
    (None: nobody has looked).
    """

    step: int
    kind: str
    now: int
    app: str | None
    tool: str
    arguments: Any
    ok: bool
    reply: Any
    changes: list[Change]
    error_kind: str | None = None
    user: str | None = None
    fault: Mapping[str, Any] | None = None
    fits: bool | None = None

    @property
    def struck(self) -> str | None:
        """The fault that landed on this call."""
        return None if self.fault is None or not self.fault.get("landed") else str(self.fault["fault"])


@dataclass(frozen=True, slots=True)
class Struck:
    """A fault of the ledger that landed, and how the agent coped with it. `outage` is the step in which it began, `again` are the
    steps of retries that made new objects although the struck call, or an earlier retry, had.
    """

    step: int
    fault: str
    app: str
    tool: str
    outage: int | None
    recovered: bool | None
    recovered_by: str | None
    calls_to_recover: int | None
    seconds_to_recover: float | None
    flexible: bool
    writes: bool
    effects: int
    doubled: bool
    again: tuple[int, ...]


class Record(Protocol):
    """Where evidence is read from: the journal, the ledger of faults, and rows as they stand at the end."""

    def steps(self) -> Iterable[Step]:
        """The journal, oldest first."""

    def struck(self) -> Iterable[Struck]:
        """The faults that landed, in order."""

    def declared(self, app: str, entity: str) -> Declared:
        """What is known about the rows of an entity."""

    def row(self, key: Key) -> Object | None:
        """A row, None where there is none."""

    def rows(self, app: str, entity: str) -> Iterable[tuple[Key, Object]]:
        """An entity's rows."""


@dataclass(frozen=True, slots=True)
class Version:
    """A row after a step. `own` says that the agent's own call made it so, and not a fault or the control plane."""

    step: int
    row: Object | None
    own: bool


@dataclass(slots=True)
class History:
    """One row through a trial: as it was at the start (None: not there), and after each step that touched it."""

    key: Key
    start: Object | None
    versions: list[Version] = field(default_factory=list)

    @property
    def end(self) -> Object | None:
        return self.versions[-1].row if self.versions else self.start

    @property
    def made(self) -> Object | None:
        """The row as the agent last had it, if the agent made it: also where it is gone again."""
        if self.start is not None or not self.versions or not self.versions[0].own:
            return None
        return next((v.row for v in reversed(self.versions) if v.row is not None), None)

    @property
    def own_steps(self) -> list[int]:
        return [v.step for v in self.versions if v.own]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A trial as it is judged. `steps` is all of the journal, `calls` what the agent called of it. `names` are the task's rows,
    `people` the ids by which each app knows each person of the world.
    """

    steps: list[Step]
    calls: list[Step]
    struck: list[Struck]
    touched: dict[Key, History]
    start: dict[Key, Object]
    names: Mapping[str, Key]
    people: Mapping[str, Mapping[str, frozenset[str]]]
    zone: ZoneInfo
    now: int
    declared: Callable[[str, str], Declared]
    answer: str = ""
    outcome: Outcome = "done"

    def history(self, key: Key) -> History:
        """A row's history; of one that nobody touched, its start."""
        return self.touched.get(key) or History(key, self.start.get(key))

    def of_entity(self, app: str, entity: str) -> Iterator[History]:
        """The histories of an entity's rows, as far as they were touched or read."""
        keys = [k for k in {**self.start, **self.touched} if k[:2] == (app, entity)]
        return (self.history(key) for key in keys)

    @property
    def delivered_twice(self) -> set[Key]:
        """The rows that a call made when a fault delivered it a first time, before the agent's own."""
        steps = {step.step for step in self.steps if step.kind == "duplicate"}
        return {key for key, h in self.touched.items() if h.start is None and h.versions[0].step in steps}

    def ids(self, name: str, app: str) -> frozenset[str]:
        """What a name of the task, or a person of the world, is called in an app."""
        key = self.names.get(name)
        if key is not None and key[0] == app:
            return frozenset({key[2], key[2].rpartition("/")[2]})
        return self.people.get(name, {}).get(app, frozenset())

    def with_parents(self, app: str, entity: str, row: Object) -> Object:
        """A row with those that it belongs to beside its own fields, so that `chat.member_ids` leads into a message's chat."""
        found = dict(row)
        for parent, key in self.declared(app, entity).parent_keys(row).items():
            held = self.history(joined_key(app, parent, key)).end
            if held is not None and parent not in found:
                found[parent] = held
        return found

    def text_of(self, app: str, entity: str) -> Callable[[Object], str] | None:
        return self.declared(app, entity).text


class NoSuchRow(LookupError):
    """A name of the task leads to no row of the world, or to several."""


def read_evidence(
    record: Record,
    task: Task,
    names: Mapping[str, Key],
    people: Mapping[str, Mapping[str, frozenset[str]]],
    zone: ZoneInfo,
    *,
    answer: str = "",
    outcome: Outcome = "done",
) -> Evidence:
    """What a session's record tells about a trial of this task."""
    steps = list(record.steps())
    changes: dict[Key, list[tuple[Step, Change]]] = {}
    for step in _after_the_start(steps):
        for change in step.changes:
            changes.setdefault(key_of_change(change), []).append((step, change))
    touched = {key: _history(key, record.row(key), of_row, task.user) for key, of_row in changes.items()}
    wanted = {key for key in names.values() if key not in touched}
    start = {key: found for key in wanted if (found := record.row(key)) is not None}
    for app, entity in _looked_through(task, record):
        start |= {k: v for k, v in record.rows(app, entity) if k not in touched}
    return Evidence(
        steps=steps,
        calls=[step for step in steps if _is_own(step, task.user)],
        struck=list(record.struck()),
        touched=touched,
        start=start,
        names=names,
        people=people,
        zone=zone,
        now=steps[0].now if steps else 0,
        declared=record.declared,
        answer=answer,
        outcome=outcome,
    )


def _after_the_start(steps: list[Step]) -> Iterator[Step]:
    """The steps without those by which the task's own rows were put in before the trial began: they are how it starts."""
    return itertools.dropwhile(lambda step: step.kind == "state", steps)


def _is_own(step: Step, user: str) -> bool:
    """Whether the agent made a step: through the handle that the session's own user has."""
    return step.kind == "call" and step.user in (None, user)


def _is_its_doing(step: Step, change: Change, user: str) -> bool:
    """Whether the agent changed a row. Of a call that a fault delivered a first time it did all but make rows: those come again
    with the second, what was changed or deleted does not.
    """
    twice = step.kind == "duplicate" and step.user in (None, user) and change["op"] != "insert"
    return twice or _is_own(step, user)


class ContextRecord:
    """The record of a session that is open in this process. `ledger` reads the faults that landed from the context; a session
    without faults needs none.
    """

    def __init__(self, context: Context, ledger: Callable[[Context], Iterable[Struck]] = lambda _: ()) -> None:
        self._context = context
        self._ledger = ledger

    def steps(self) -> Iterator[Step]:
        for row in journal.read(self._context):
            yield step_of(row, journal.changes(self._context, row.receipt.changeset))

    def struck(self) -> Iterable[Struck]:
        return self._ledger(self._context)

    def declared(self, app: str, entity: str) -> Declared:
        return declared(app, entity)

    def row(self, key: Key) -> Object | None:
        app, entity, joined = key
        declared = self._context.tables[app].entities[entity]
        parts = [joined] if len(declared.key) == 1 else joined.split("/")
        if len(parts) != len(declared.key):
            return None
        cells: Any = self._context.execute(declared.get_sql, tuple(parts)).fetchone()
        return None if cells is None else declared.decode(cells)

    def rows(self, app: str, entity: str) -> Iterator[tuple[Key, Object]]:
        declared = self._context.tables[app].entities[entity]
        statement = declared.select_statement((), (), False)
        for cells in self._context.execute(statement.sql).fetchall():
            row = declared.decode(cells)
            yield key_of(app, entity, row, declared.key), row


def key_of(app: str, entity: str, row: Object, key: Iterable[str]) -> Key:
    """The key of a row whose columns `key` hold it."""
    return joined_key(app, entity, [row[name] for name in key])


def step_of(row: journal.Row, changes: list[Change]) -> Step:
    """A row of the journal, and the changes that its receipt holds, as a step."""
    fault = None if row.fault is None else orjson.loads(row.fault)
    return Step(
        row.step, row.kind, row.at_ms // 1000, row.app, row.tool, row.arguments, row.ok, row.reply, changes,
        row.error_kind, row.caller.user, fault,
    )  # fmt: skip


def _looked_through(task: Task, record: Record) -> set[tuple[str, str]]:
    """The entities whose rows are judged whether they were touched or not: those of `state`, and parents that paths lead into."""
    found: set[tuple[str, str]] = set()
    for check in all_checks(task):
        wanted = check.state or check.created
        if wanted is None:
            continue
        parents = record.declared(wanted.app, wanted.entity).parents
        found |= {(wanted.app, p) for p in parents if any(path.partition(".")[0] == p for path in check.where)}
        if check.state is not None:
            found.add((wanted.app, wanted.entity))
    return found


def joined_key(app: str, entity: str, key: object) -> Key:
    """A key as receipts and worlds' names give it: a value, or the list of several columns'."""
    return app, entity, _joined(key if isinstance(key, list | tuple) else [key])


def _joined(parts: Iterable[object]) -> str:
    return "/".join(str(part) for part in parts)


def key_of_change(change: Change) -> Key:
    """The row that a change is about."""
    return joined_key(change["app"], change["entity"], change["id"])


def _history(key: Key, end: Object | None, changes: list[tuple[Step, Change]], user: str) -> History:
    history = History(key, _start(end, [change for _, change in changes]))
    for step, change in changes:
        history.versions.append(Version(step.step, row_after(history.end, change), _is_its_doing(step, change, user)))
    return history


def _start(row: Object | None, changes: list[Change]) -> Object | None:
    """A row as it was before all of these changes: as it is now, with each taken back."""
    for change in reversed(changes):
        match change["op"]:
            case "insert":
                row = None
            case "delete":
                row = dict(change["before"] or {})
            case "update":
                row = {**(row or {}), **(change["before"] or {})}
    return row


def row_after(row: Object | None, change: Change) -> Object | None:
    """A row as a change leaves it."""
    match change["op"]:
        case "insert":
            return dict(change["after"] or {})
        case "delete":
            return None
        case "update":
            return {**(row or {}), **(change["after"] or {})}
