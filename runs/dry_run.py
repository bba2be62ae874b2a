"""Play a task in this process: a session in memory, a script's calls, the verdict. Used by the lint and `tasks try`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

import orjson

from soundstage.contexts.engine import journal, state
from soundstage.contexts.engine.clock import Clock, parse_moment, to_ms
from soundstage.contexts.engine.journal import Change
from soundstage.contexts.engine.storage import DurableStorage, MemoryStorage, Storage
from soundstage.contexts.engine.store import Context
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.faults import schedule_store
from soundstage.gateway.faults.schedule import Schedule
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.session import Session
from soundstage.grading.cast import find_names, find_people
from soundstage.grading.checks import Outcome
from soundstage.grading.evidence import ContextRecord, Evidence, read_evidence
from soundstage.grading.oracle import OracleError, Script, ids_of, play
from soundstage.grading.task import Task
from soundstage.grading.verdict import Verdict, grade
from soundstage.runs.retrying_caller import GaveUp, RetryingCaller
from soundstage.runs.sealed import struck
from soundstage.servers.catalogue import App, load_app
from soundstage.worlds import fingerprint, load_world, names, start_for

_numbers = itertools.count()
_TICK_MS = 1000


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a script: verdict, evidence, replies by label, and each call's label (`busy[2]` for an `each` call).

    `broke` is the reason for an early end. `gave_up` means that injected faults made a call fail in every attempt, or changed
    the subject of the task.
    """

    script: Script
    verdict: Verdict
    evidence: Evidence
    replies: Mapping[str, Any]
    labels: tuple[str, ...]
    broke: str | None = None
    gave_up: str | None = None


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """A call that was tried on a stage: its success, reply and changes."""

    ok: bool
    reply: Any
    changes: tuple[Change, ...]


class DryRun:
    """One task, loaded for repeated trials; every trial starts from the initial world."""

    def __init__(self, task: Task, built: Path, own_worlds: Path | None = None) -> None:
        """Load the task's world (below the folder `built`) and resolve its names.

        Raises:
            UnknownWorld, UnknownApp: It does not exist; the message lists the known ones.
            NoSuchRow: A name matches no row, or several.
        """
        self.task = task
        self.world = load_world(task.world, own_worlds)
        self.fingerprint = fingerprint(self.world)
        self.zone = ZoneInfo(self.world.zone)
        self._built = built
        self._apps = {name: load_app(name) for name in task.apps}
        self._storage = MemoryStorage()
        world_names = names(self.world, built)
        at = self.world.epoch_ms if task.clock.at is None else to_ms(parse_moment(task.clock.at))
        tick = _TICK_MS if task.clock.tick_ms is None else task.clock.tick_ms
        self._clock = Clock(task.clock.mode, at, tick_ms=tick)
        with self.record() as record:
            self.people = find_people(record, world_names, task.apps)
            self.names = find_names(task, record, world_names, self.people, self.zone)

    def try_script(
        self, script: Script, seed: int = 0, *, durable: bool = False, faults: Schedule | None = None
    ) -> Trial:
        """Make a script's calls in a new session and grade the result.

        `durable` stores the session's context on disk. With a schedule of `faults`, each call is repeated until it succeeds.
        """
        with self.open(seed, faults, durable=durable) as session:
            replies: dict[str, Any] = {}
            labels: list[str] = []
            broke: str | None = None
            caller = None if faults is None else RetryingCaller(session, self._apps)
            make = self._maker(session) if caller is None else lambda *call: read_reply(caller.make(*call))
            try:
                for label, reply in play(script, ids_of(self.names, self.people), make):
                    many = isinstance(reply, list) and label in _each(script)
                    calls = len(reply) if many else 1
                    labels += [f"{label}[{i}]" for i in range(calls)] if many else [label]
                    replies[label] = reply
            except OracleError as error:
                broke = str(error)
            except GaveUp as error:
                broke = str(error)
            outcome: Outcome = script.outcome  # type: ignore[assignment] # a script's outcome comes from the task
            evidence = read_evidence(
                ContextRecord(session.context, struck),
                self.task,
                self.names,
                self.people,
                self.zone,
                answer=script.answer,
                outcome=outcome,
            )
            gave_up = None if caller is None else broke or _fault_on_subject(evidence)
            return Trial(script, grade(self.task, evidence), evidence, replies, tuple(labels), broke, gave_up)

    @contextmanager
    def open(self, seed: int = 0, faults: Schedule | None = None, *, durable: bool = False) -> Iterator[Session]:
        """Open a new session of the task, in memory or on disk, with optional faults; it is deleted when the block ends."""
        with self._context(seed, durable=durable) as context:
            if added := self.task.distractors.state:
                with context.step("state", "state", {"mode": "add", "state": added}):
                    state.load(context, added, "add")
            if faults is not None:
                with context.transaction() as meta:
                    schedule_store.put(context, meta, faults)
            name = f"dry-run-{next(_numbers)}"
            record = SessionRecord(
                name, name, None, self.world.name, tuple(sorted(self._apps)), seed, self._clock, 0, None, durability="memory",
                user=self.task.user,
            )  # fmt: skip
            yield Session(record, context)

    def swaps(self) -> dict[str, dict[str, dict[str, str]]]:
        """Return confusable people and places: the argument texts of each, and the corresponding texts of another.

        A person is confused with another of the cast, a named row with its neighbour of the same entity.
        """
        with self.record() as record:
            people: dict[str, dict[str, str]] = {}
            accounts = {p: _account(record, ids) for p, ids in self.people.items()}
            for person, other in pairwise([*accounts, *list(accounts)[:1]]):
                common = accounts[person].keys() & accounts[other].keys()
                people[person] = {accounts[person][k]: accounts[other][k] for k in sorted(common)}
            places: dict[str, dict[str, str]] = {}
            for name, (app, entity, row_id) in self.names.items():
                keys = [key[2] for key, _ in record.rows(app, entity)]
                beside = keys[(keys.index(row_id) + 1) % len(keys)]
                if beside != row_id:
                    places[name] = {row_id.rpartition("/")[2]: beside.rpartition("/")[2]}
        return {"wrong person": people, "wrong place": places}

    @contextmanager
    def stage(self) -> Iterator[Stage]:
        """Open a new session on which calls are tried one by one."""
        with self.open() as session:
            yield Stage(session, self._apps, self._storage)

    @contextmanager
    def record(self) -> Iterator[ContextRecord]:
        """Open the task's initial world, including the task's own rows."""
        with self.open() as session:
            yield ContextRecord(session.context)

    def _maker(self, session: Session) -> Callable[[str, str, Any], Any]:
        return lambda app, tool, given: read_reply(dispatch(session, self._apps[app], tool, given).reply)

    @contextmanager
    def _context(self, seed: int, *, durable: bool = False) -> Iterator[Context]:
        name = f"dry-run-{next(_numbers)}"
        with ExitStack() as stack:
            start = stack.enter_context(start_for(self.world, self._built, self.task.apps))
            storage: Storage = self._storage
            if durable:
                storage = DurableStorage(Path(stack.enter_context(TemporaryDirectory(prefix="dry-run-"))))
            context = storage.create(name, start, seed=seed, clock=self._clock)
            if not durable:
                stack.close()  # a context in memory is a copy
            try:
                if self.task.user != self.world.user:
                    with context.transaction():
                        context.accounts.belong_to(self.task.user)
                yield context
            finally:
                storage.close(name, context)
                storage.delete(name)


class Stage:
    """A session in which calls are tried, permanently or on a disposable copy."""

    def __init__(self, session: Session, apps: Mapping[str, App], storage: MemoryStorage) -> None:
        self._session = session
        self._apps = apps
        self._storage = storage

    def make(self, app: str, tool: str, arguments: Any) -> CallOutcome:
        """Make a call on this stage."""
        return self._outcome_of(self._session, app, tool, arguments)

    def make_on_copy(self, app: str, tool: str, arguments: Any) -> CallOutcome:
        """Make a call on a copy of this stage."""
        name = f"dry-run-{next(_numbers)}"
        context = self._storage.fork(self._session.context, name)
        try:
            return self._outcome_of(replace(self._session, open_context=context, file=None), app, tool, arguments)
        finally:
            self._storage.close(name, context)
            self._storage.delete(name)

    def _outcome_of(self, session: Session, app: str, tool: str, arguments: Any) -> CallOutcome:
        made = dispatch(session, self._apps[app], tool, arguments)
        assert made.step is not None
        (row,) = journal.read(session.context, after=made.step - 1, limit=1)
        changes = journal.changes(session.context, row.receipt.changeset)
        return CallOutcome(made.delivery.ok, read_reply(made.delivery.reply), tuple(changes))


def _each(script: Script) -> frozenset[str]:
    return frozenset(call.as_ for call in script.calls if call.each is not None)


def _fault_on_subject(evidence: Evidence) -> str | None:
    """Return the reason if a fault changed a row that the task names or the script created: the task is then a different one."""
    for name, key in evidence.names.items():
        if any(not version.own for version in evidence.history(key).versions):
            return f"a fault changed {name}"
    for history in evidence.touched.values():
        if history.made is not None and any(not version.own for version in history.versions):
            return f"a fault changed what was made, {' '.join(history.key)}"
    return None


def _account(record: ContextRecord, ids: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """Return the values that only this person has in each app: ids, handles, addresses."""
    result: dict[str, str] = {}
    for app, known in ids.items():
        row = next((row for key, row in record.rows(app, "user") if key[2] in known), {})
        for path, value in _texts(row, app):
            if " " not in value and len(value) >= 6 and (value in known or "@" in value):
                result[path] = value
    return result


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, f"{path}.{name}")
    elif isinstance(value, str):
        yield path, value


def read_reply(reply: Any) -> Any:
    """Return a reply as scripts refer to it: its text parsed as JSON, or else the text."""
    if not isinstance(reply, dict):
        return reply
    content = reply.get("content") or []
    text = "".join(block.get("text", "") for block in content if isinstance(block, dict))
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
