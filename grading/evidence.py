"""The evidence of a trial: its calls, the rows they touched with all their states, and the answer.

It is read once, from the session's context or from a gateway's data, and is plain data afterwards.
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
from soundstage.grading.checks import Outcome, StateCheck, final_conditions, searched_entity
from soundstage.grading.declarations import EntityDeclaration, declaration_of
from soundstage.grading.task import Task, all_checks

Key = tuple[str, str, str]
"""App, entity, id; for keys with several columns, their values joined by slashes."""


@dataclass(frozen=True, slots=True)
class Step:
    """The part of a journal line that grading uses.

    Attributes:
        now: The session's time in epoch seconds.
        user: The acting user; None for the session's own user.
        fault: The raw record of an injected fault.
        fits: Whether the arguments match the tool's schema; None if this was not checked.
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
        """The kind of the fault that was injected into this call."""
        return None if self.fault is None or not self.fault.get("landed") else str(self.fault["fault"])


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """An injected fault of the ledger, and how the agent coped with it.

    `outage` is the step in which it began. `again` lists the steps of retries that created new objects although the failed
    call, or an earlier retry, already had.
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
    """The source of evidence: the journal, the fault ledger, and the final rows."""

    def steps(self) -> Iterable[Step]:
        """Return the journal, oldest first."""

    def struck(self) -> Iterable[InjectedFault]:
        """Return the injected faults in order."""

    def declaration(self, app: str, entity: str) -> EntityDeclaration:
        """Return the declaration of an entity's rows."""

    def row(self, key: Key) -> Object | None:
        """Return a row, or None if it does not exist."""

    def rows(self, app: str, entity: str) -> Iterable[tuple[Key, Object]]:
        """Return an entity's rows."""


@dataclass(frozen=True, slots=True)
class Version:
    """A row after a step; `own` is true if the agent's own call changed it, not a fault or the control plane."""

    step: int
    row: Object | None
    own: bool


@dataclass(slots=True)
class History:
    """One row through a trial: its initial state (None: absent), and its state after each step that touched it."""

    key: Key
    start: Object | None
    versions: list[Version] = field(default_factory=list)

    @property
    def end(self) -> Object | None:
        """The state of the row at the end; None if it does not exist."""
        return self.versions[-1].row if self.versions else self.start

    @property
    def made(self) -> Object | None:
        """The last state in which the agent left a row that it created, even if the row was deleted later."""
        if self.start is not None or not self.versions or not self.versions[0].own:
            return None
        return next((v.row for v in reversed(self.versions) if v.row is not None), None)

    @property
    def own_steps(self) -> list[int]:
        """The steps in which the agent's own calls changed the row."""
        return [v.step for v in self.versions if v.own]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The data on which a trial is judged.

    Attributes:
        steps: The complete journal.
        calls: The agent's calls.
        names: The task's rows.
        people: The ids of each person of the world, by app.
    """

    steps: list[Step]
    calls: list[Step]
    struck: list[InjectedFault]
    touched: dict[Key, History]
    start: dict[Key, Object]
    names: Mapping[str, Key]
    people: Mapping[str, Mapping[str, frozenset[str]]]
    zone: ZoneInfo
    now: int
    declaration: Callable[[str, str], EntityDeclaration]
    answer: str = ""
    outcome: Outcome = "done"

    def history(self, key: Key) -> History:
        """Return a row's history; an untouched row has only its initial state."""
        return self.touched.get(key) or History(key, self.start.get(key))

    def of_entity(self, app: str, entity: str) -> Iterator[History]:
        """Yield the histories of an entity's rows that were touched or read."""
        keys = [k for k in {**self.start, **self.touched} if k[:2] == (app, entity)]
        return (self.history(key) for key in keys)

    @property
    def delivered_twice(self) -> set[Key]:
        """The rows that a call created when a fault delivered it an additional time, before the agent's own call."""
        steps = {step.step for step in self.steps if step.kind == "duplicate"}
        return {key for key, h in self.touched.items() if h.start is None and h.versions[0].step in steps}

    def ids(self, name: str, app: str) -> frozenset[str]:
        """Return the ids of a task name, or of a person of the world, in an app."""
        key = self.names.get(name)
        if key is not None and key[0] == app:
            return frozenset({key[2], key[2].rpartition("/")[2]})
        return self.people.get(name, {}).get(app, frozenset())

    def with_parents(self, app: str, entity: str, row: Object) -> Object:
        """Return a row extended by its parents, so that `chat.member_ids` leads from a message into its chat."""
        result = dict(row)
        for parent, key in self.declaration(app, entity).parent_keys(row).items():
            parent_row = self.history(joined_key(app, parent, key)).end
            if parent_row is not None and parent not in result:
                result[parent] = parent_row
        return result

    def text_of(self, app: str, entity: str) -> Callable[[Object], str] | None:
        """Return the function that yields the readable text of an entity's rows; None if they have none."""
        return self.declaration(app, entity).text


class NoSuchRow(LookupError):
    """A name of the task matches no row of the world, or several."""


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
    """Read the evidence of a trial of this task from a session's record."""
    steps = list(record.steps())
    changes: dict[Key, list[tuple[Step, Change]]] = {}
    for step in _after_the_start(steps):
        for change in step.changes:
            changes.setdefault(key_of_change(change), []).append((step, change))
    touched = {key: _history(key, record.row(key), of_row, task.user) for key, of_row in changes.items()}
    wanted = {key for key in names.values() if key not in touched}
    start = {key: row for key in wanted if (row := record.row(key)) is not None}
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
        declaration=record.declaration,
        answer=answer,
        outcome=outcome,
    )


def _after_the_start(steps: list[Step]) -> Iterator[Step]:
    """Yield the steps without those that inserted the task's own rows before the trial began."""
    return itertools.dropwhile(lambda step: step.kind == "state", steps)


def _is_own(step: Step, user: str) -> bool:
    """Whether the agent made a step, that is, through the handle of the session's own user."""
    return step.kind == "call" and step.user in (None, user)


def _is_its_doing(step: Step, change: Change, user: str) -> bool:
    """Whether the agent is responsible for a change.

    If a fault delivered a call twice, the created rows count from the second delivery; updates and deletions, which do not
    recur, count from the first.
    """
    twice = step.kind == "duplicate" and step.user in (None, user) and change["op"] != "insert"
    return twice or _is_own(step, user)


class ContextRecord:
    """The record of a session that is open in this process.

    `ledger` reads the injected faults from the context; a session without faults needs none.
    """

    def __init__(self, context: Context, ledger: Callable[[Context], Iterable[InjectedFault]] = lambda _: ()) -> None:
        self._context = context
        self._ledger = ledger

    def steps(self) -> Iterator[Step]:
        """Yield the journal, oldest first."""
        for row in journal.read(self._context):
            yield step_of(row, journal.changes(self._context, row.receipt.changeset))

    def struck(self) -> Iterable[InjectedFault]:
        """Return the injected faults in order."""
        return self._ledger(self._context)

    def declaration(self, app: str, entity: str) -> EntityDeclaration:
        """Return the declaration of an entity's rows."""
        return declaration_of(app, entity)

    def row(self, key: Key) -> Object | None:
        """Return a row at the end, or None if it does not exist."""
        app, entity, joined = key
        table = self._context.tables[app].entities[entity]
        parts = [joined] if len(table.key) == 1 else joined.split("/")
        if len(parts) != len(table.key):
            return None
        cells: Any = self._context.execute(table.get_sql, tuple(parts)).fetchone()
        return None if cells is None else table.decode(cells)

    def rows(self, app: str, entity: str) -> Iterator[tuple[Key, Object]]:
        """Yield an entity's rows at the end."""
        table = self._context.tables[app].entities[entity]
        statement = table.select_statement((), (), False)
        for cells in self._context.execute(statement.sql).fetchall():
            row = table.decode(cells)
            yield key_of(app, entity, row, table.key), row


def key_of(app: str, entity: str, row: Object, key: Iterable[str]) -> Key:
    """Return the key of a row from its key columns."""
    return joined_key(app, entity, [row[name] for name in key])


def step_of(row: journal.Row, changes: list[Change]) -> Step:
    """Convert a row of the journal and the changes in its receipt to a step."""
    fault = None if row.fault is None else orjson.loads(row.fault)
    return Step(
        row.step, row.kind, row.at_ms // 1000, row.app, row.tool, row.arguments, row.ok, row.reply, changes,
        row.error_kind, row.caller.user, fault,
    )  # fmt: skip


def _looked_through(task: Task, record: Record) -> set[tuple[str, str]]:
    """Return the entities whose untouched rows are judged, too: entities of `state`, and parents that paths lead into."""
    result: set[tuple[str, str]] = set()
    for check in all_checks(task):
        wanted = searched_entity(check)
        if wanted is None:
            continue
        parents = record.declaration(wanted.app, wanted.entity).parents
        result |= {
            (wanted.app, p) for p in parents if any(path.partition(".")[0] == p for path in final_conditions(check))
        }
        if isinstance(check, StateCheck):
            result.add((wanted.app, wanted.entity))
    return result


def joined_key(app: str, entity: str, key: object) -> Key:
    """Convert a key of a receipt or of a world's names, a value or a list of column values, to a `Key`."""
    return app, entity, _joined(key if isinstance(key, list | tuple) else [key])


def _joined(parts: Iterable[object]) -> str:
    return "/".join(str(part) for part in parts)


def key_of_change(change: Change) -> Key:
    """Return the key of the row that a change concerns."""
    return joined_key(change["app"], change["entity"], change["id"])


def _history(key: Key, end: Object | None, changes: list[tuple[Step, Change]], user: str) -> History:
    history = History(key, _start(end, [change for _, change in changes]))
    for step, change in changes:
        history.versions.append(Version(step.step, row_after(history.end, change), _is_its_doing(step, change, user)))
    return history


def _start(row: Object | None, changes: list[Change]) -> Object | None:
    """Return a row before all of these changes by reverting them one by one."""
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
    """Return a row after a change."""
    match change["op"]:
        case "insert":
            return dict(change["after"] or {})
        case "delete":
            return None
        case "update":
            return {**(row or {}), **(change["after"] or {})}
