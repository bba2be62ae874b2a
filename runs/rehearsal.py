"""A task tried out in this process: a session in memory, a script's calls, the verdict. The lint and `tasks try` stand on it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import orjson

from soundstage.contexts.apps import meaning_of
from soundstage.contexts.engine.clock import Clock, parse_moment, to_ms
from soundstage.contexts.engine.keepers import MemoryKeeper
from soundstage.contexts.engine.store import Context
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.faults import kept
from soundstage.gateway.faults.schedule import Schedule
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.session import Session
from soundstage.grading.cast import find_names, find_people
from soundstage.grading.evidence import ContextRecord, Evidence, read_evidence
from soundstage.grading.oracle import OracleError, Script, ids_of, play
from soundstage.grading.task import Outcome, Task
from soundstage.grading.verdict import Verdict, grade
from soundstage.servers.catalogue import load_app
from soundstage.worlds import fingerprint, load_world, names, start_for

_numbers = itertools.count()
_TICK_MS = 1000


@dataclass(frozen=True, slots=True)
class Trial:
    """What a script came to: its verdict, the evidence, and the replies by the calls' labels. `broke` says why it ended early."""

    script: Script
    verdict: Verdict
    evidence: Evidence
    replies: Mapping[str, Any]
    broke: str | None = None


class Rehearsal:
    """One task, ready to be tried as often as wanted; every trial starts from the world anew."""

    def __init__(self, task: Task, built: Path, own_worlds: Path | None = None) -> None:
        """Load the task's world (below the folder `built`) and find its names.

        Raises:
            UnknownWorld, UnknownApp: naming those there are.
            NoSuchRow: a name leads to no row, or to several.
        """
        self.task = task
        self.world = load_world(task.world, own_worlds)
        self.fingerprint = fingerprint(self.world)
        self.zone = ZoneInfo(self.world.zone)
        self._built = built
        self._apps = {name: load_app(name) for name in task.apps}
        self._keeper = MemoryKeeper()
        world_names = names(self.world, built)
        at = self.world.epoch_ms if task.clock.at is None else to_ms(parse_moment(task.clock.at))
        tick = _TICK_MS if task.clock.tick_ms is None else task.clock.tick_ms
        self._clock = Clock(task.clock.mode, at, tick_ms=tick)
        with self._context(0) as context:
            record = ContextRecord(context)
            self.people = find_people(record, world_names, task.apps)
            self.names = find_names(task, record, world_names, self.people, self.zone)

    def try_script(self, script: Script, seed: int = 0) -> Trial:
        """Make a script's calls in a fresh session and grade what came of it."""
        with self.open(seed) as session:
            replies: dict[str, Any] = {}
            broke: str | None = None
            try:
                for label, reply in play(
                    script,
                    ids_of(self.names, self.people),
                    lambda app, tool, given: self._call(session, app, tool, given),
                ):
                    replies[label] = reply
            except OracleError as error:
                broke = str(error)
            outcome: Outcome = script.outcome  # type: ignore[assignment] # a script's outcome comes from the task
            evidence = read_evidence(
                ContextRecord(session.context),
                self.task,
                self.names,
                self.people,
                self.zone,
                answer=script.answer,
                outcome=outcome,
            )
            return Trial(script, grade(self.task, evidence), evidence, replies, broke)

    @contextmanager
    def open(self, seed: int = 0, faults: Schedule | None = None) -> Iterator[Session]:
        """A fresh session of the task, in memory and under a schedule of faults; it is gone when the block ends."""
        with self._context(seed) as context:
            if faults is not None:
                with context.transaction() as meta:
                    kept.put(context, meta, faults)
            name = f"rehearsal-{next(_numbers)}"
            record = SessionRecord(
                name, name, None, self.world.name, tuple(sorted(self._apps)), seed, self._clock, 0, None, durability="memory",
                user=self.task.user,
            )  # fmt: skip
            yield Session(record, context)

    def swaps(self) -> dict[str, dict[str, dict[str, str]]]:
        """Other people and other places: what stands for each in arguments, and what would stand there for somebody else.

        A person is mistaken for another of the cast, a named row for its neighbour among those of its kind.
        """
        with self._context(0) as context:
            record = ContextRecord(context)
            people: dict[str, dict[str, str]] = {}
            accounts = {p: _account(record, ids) for p, ids in self.people.items()}
            for person, other in pairwise([*accounts, *list(accounts)[:1]]):
                held = accounts[person].keys() & accounts[other].keys()
                people[person] = {accounts[person][k]: accounts[other][k] for k in sorted(held)}
            places: dict[str, dict[str, str]] = {}
            for name, (app, entity, row_id) in self.names.items():
                keys = [key[2] for key, _ in record.rows(app, entity)]
                beside = keys[(keys.index(row_id) + 1) % len(keys)]
                if beside != row_id:
                    places[name] = {row_id.rpartition("/")[2]: beside.rpartition("/")[2]}
        return {"wrong person": people, "wrong place": places}

    def start_text(self) -> str:
        """All that the session's apps hold at the start, as one text: what an agent could find by looking everywhere."""
        with self._context(0) as context:
            found = [
                orjson.dumps(row).decode()
                for app in self.task.apps
                for entity in context.tables[app].entities
                if entity not in meaning_of(app).bookkeeping
                for _, row in ContextRecord(context).rows(app, entity)
            ]
        return " ".join(found)

    def _call(self, session: Session, app: str, tool: str, arguments: Any) -> Any:
        made = dispatch(session, self._apps[app], tool, arguments)
        return read_reply(made.reply)

    @contextmanager
    def _context(self, seed: int) -> Iterator[Context]:
        name = f"rehearsal-{next(_numbers)}"
        with start_for(self.world, self._built, self.task.apps) as start:
            context = self._keeper.create(name, start, seed=seed, clock=self._clock)
        try:
            if self.task.user != self.world.user:
                with context.transaction():
                    context.accounts.belong_to(self.task.user)
            yield context
        finally:
            self._keeper.delete(name)


def _account(record: ContextRecord, ids: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """A person's texts in each app that only this person has: ids, handles, addresses."""
    found: dict[str, str] = {}
    for app, known in ids.items():
        row = next((row for key, row in record.rows(app, "user") if key[2] in known), {})
        for path, value in _texts(row, app):
            if " " not in value and len(value) >= 6 and (value in known or "@" in value):
                found[path] = value
    return found


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, f"{path}.{name}")
    elif isinstance(value, str):
        yield path, value


def read_reply(reply: Any) -> Any:
    """A reply as scripts refer to it: the JSON that its text holds, else the text."""
    if not isinstance(reply, dict):
        return reply
    content = reply.get("content") or []
    text = "".join(block.get("text", "") for block in content if isinstance(block, dict))
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
