"""The book of runs: every statement about runs and trials, each atomic in the registry.

A trial goes `queued` → `opening` (somebody has leased it, its session is being made) → `open` → `closing` (nothing more is
taken; it is to be sealed and graded) → `done`. An attempt that came to nothing through nobody's fault goes back to `queued`, at
most twice. Each statement says from which state and which attempt it goes on, so of two that meet one does nothing.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Row, Select, and_, case, func, insert, select, update

from soundstage.contexts.engine.clock import wall_ms
from soundstage.gateway.registry.database import Database
from soundstage.gateway.registry.tables import now_ms
from soundstage.runs.models import RunBody, State
from soundstage.runs.results import ResultLine
from soundstage.runs.sealed import Ended
from soundstage.runs.shelf import task_in
from soundstage.runs.tables import RUN_TASKS, RUN_TOKENS, RUNS, TRIAL_RECORDS, TRIALS

LEASE_MS = 120_000
"""A runner that says nothing for so long, and whose agent calls nothing, has lost its trial."""
LATE_MS = 5_000
"""So long after its time a trial's runner may still hand in what the agent has used."""
OPENING_MS = 30_000
"""A gateway that takes longer to make a session has ended meanwhile."""
MOST_INFRA = 2
"""So often a trial is tried anew."""


_LIGHT = [column for column in TRIALS.c if column.name not in ("submission", "result", "verdict")]


class UnknownRun(LookupError):
    """There is no such run or trial."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run as it was asked for (`plan`). `created_ms` is epoch milliseconds."""

    id: str
    created_ms: int
    plan: RunBody
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class RunTask:
    """A task as it was when its run began: its file, and what its names and its world's people are called in the apps.

    `alias` is what runners know it by; `oracle_calls` how many its solution takes.
    """

    run: str
    task: str
    alias: str
    source: str
    digest: str
    fingerprint: str
    zone: str
    oracle_calls: int
    names: Mapping[str, Sequence[str]]
    people: Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Tally:
    """What a run's trials came to so far. `ended` counts those that are done, `graded` those that have a result; `success` is the
    share of these that succeeded, `score` their mean score, both None before any; trials beside upstreams count in neither.
    """

    tasks: tuple[str, ...]
    states: Counter[State]
    ended: Counter[Ended]
    graded: int
    success: float | None
    score: float | None

    @property
    def trials(self) -> int:
        return self.states.total()


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A trial as the book has it. `session` is that of the newest attempt, `closes_ms` when its address closes, both None until
    there is one. `submission` is what the runner handed in; it, `result` and `verdict` are read for a single trial alone.
    """

    id: str
    run: str
    position: int
    task: str
    k: int
    seed: int
    variant: str
    faults: str
    state: State = "queued"
    attempt: int = 0
    infra: int = 0
    session: str | None = None
    until_ms: int | None = None
    started_ms: int | None = None
    closes_ms: int | None = None
    ended: Ended | None = None
    ended_ms: int | None = None
    submission: Mapping[str, Any] | None = None
    error: str | None = None
    success: bool | None = None
    score: float | None = None
    result: Mapping[str, Any] | None = None
    verdict: Mapping[str, Any] | None = None


Handed = Literal["taken", "again", "late"]
"""What became of a submission: it was taken, it had been taken before, or the attempt is nobody's any more."""


class Book:
    """Reads and writes runs and trials. Every method raises `RegistryUnavailable` where the registry does not answer."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- runs -------------------------------------------------------------------------------------------------------

    async def add(self, run: Run, tasks: Sequence[RunTask], trials: Sequence[TrialRow]) -> None:
        """Enter a new run, whole."""

        def work(connection: Connection) -> None:
            connection.execute(
                insert(RUNS),
                {
                    "id": run.id,
                    "created_ms": run.created_ms,
                    "seed": run.plan.seed,
                    "plan": run.plan.model_dump(mode="json"),
                    "stopped": False,
                },
            )
            connection.execute(insert(RUN_TASKS), [_fields(task) for task in tasks])
            connection.execute(insert(TRIALS), [_fields(trial) for trial in trials])

        await self._database.write(work)

    async def run(self, run_id: str) -> Run:
        """A run; `last` is the newest.

        Raises:
            UnknownRun: naming how to find out which there are.
        """
        query = select(RUNS)
        newest = query.order_by(RUNS.c.created_ms.desc(), RUNS.c.id).limit(1)
        async with self._database.reading() as connection:
            row = (await connection.execute(newest if run_id == "last" else query.where(RUNS.c.id == run_id))).first()
        if row is None:
            told = (
                "there are no runs yet" if run_id == "last" else f"there is no run {run_id!r}; GET /api/runs lists them"
            )
            raise UnknownRun(told)
        return _run(row)

    async def runs(self, *, offset: int, limit: int) -> tuple[list[Run], int]:
        """Some runs, the newest first, and how many there are in all."""
        query = select(RUNS).order_by(RUNS.c.created_ms.desc(), RUNS.c.id).offset(offset).limit(limit)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
            total = (await connection.execute(select(func.count()).select_from(RUNS))).scalar_one()
        return [_run(row) for row in rows], int(total)

    async def tasks(self, run_id: str) -> list[RunTask]:
        """A run's tasks, by name."""
        query = select(RUN_TASKS).where(RUN_TASKS.c.run == run_id).order_by(RUN_TASKS.c.task)
        async with self._database.reading() as connection:
            return [RunTask(**row._mapping) for row in await connection.execute(query)]

    async def task(self, run_id: str, task: str) -> RunTask:
        """One of a run's tasks."""
        query = select(RUN_TASKS).where(RUN_TASKS.c.run == run_id, RUN_TASKS.c.task == task)
        async with self._database.reading() as connection:
            return RunTask(**(await connection.execute(query)).one()._mapping)

    async def tally(self, run_id: str) -> Tally:
        """What a run's trials came to so far."""
        of_run = TRIALS.c.run == run_id
        states = select(TRIALS.c.state, TRIALS.c.ended, func.count()).where(of_run)
        won = func.sum(case((TRIALS.c.success.is_(True), 1), else_=0))
        graded = select(func.count(), won, func.sum(TRIALS.c.score)).where(of_run, TRIALS.c.success.is_not(None))
        beside = select(RUN_TASKS.c.task, RUN_TASKS.c.source).where(
            RUN_TASKS.c.run == run_id, RUN_TASKS.c.source.contains("upstreams")
        )
        tasks = select(RUN_TASKS.c.task).where(RUN_TASKS.c.run == run_id).order_by(RUN_TASKS.c.task)
        async with self._database.reading() as connection:
            rows = (await connection.execute(states.group_by(TRIALS.c.state, TRIALS.c.ended))).all()
            uncounted = [
                name
                for name, source in (await connection.execute(beside)).all()
                if task_in(source, name).distractors.upstreams
            ]
            done = (await connection.execute(graded)).scalar_one()
            n, successes, score = (await connection.execute(graded.where(TRIALS.c.task.not_in(uncounted)))).one()
            names = (await connection.execute(tasks)).scalars().all()
        by_state: Counter[State] = Counter()
        by_end: Counter[Ended] = Counter()
        for state, ended, number in rows:
            by_state[state] += number
            if state == "done":
                by_end[ended] += number
        share, mean = (int(successes) / n, float(score) / n) if n else (None, None)
        return Tally(tuple(names), by_state, by_end, done, share, mean)

    async def results(self, run_id: str) -> list[ResultLine]:
        """The lines of `results.jsonl` of a run's graded trials, in the order in which they were given away."""
        query = select(TRIALS.c.result).where(TRIALS.c.run == run_id, TRIALS.c.success.is_not(None))
        async with self._database.reading() as connection:
            return list((await connection.execute(query.order_by(TRIALS.c.position))).scalars())

    async def stop(self, run_id: str) -> None:
        """Give no more trials of a run away, and let those that are open be closed as they stand."""
        of_run = TRIALS.c.run == run_id

        def work(connection: Connection) -> None:
            connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(stopped=True))
            never = update(TRIALS).where(of_run, TRIALS.c.state.in_(("queued", "opening")))
            connection.execute(never.values(state="done", ended="stopped", ended_ms=now_ms()))
            going = update(TRIALS).where(of_run, TRIALS.c.state == "open")
            ended = func.coalesce(TRIALS.c.ended, "stopped")
            connection.execute(going.values(state="closing", ended=ended, ended_ms=now_ms()))

        await self._database.write(work)

    # -- run tokens -------------------------------------------------------------------------------------------------

    async def add_token(self, run_id: str, ttl_s: float) -> tuple[str, int]:
        """A new token that opens a run, and when it stops to, in epoch milliseconds."""
        token = f"rt_{secrets.token_urlsafe(32)}"
        expires_ms = wall_ms() + int(ttl_s * 1000)
        adding = insert(RUN_TOKENS).values(digest=_digest(token), run=run_id, expires_ms=expires_ms)
        await self._database.write(lambda connection: connection.execute(adding))
        return token, expires_ms

    async def opened_by(self, token: str) -> str | None:
        """The run that a token opens; None where it opens none, or none any more."""
        query = select(RUN_TOKENS.c.run).where(
            RUN_TOKENS.c.digest == _digest(token), RUN_TOKENS.c.expires_ms > wall_ms()
        )
        async with self._database.reading() as connection:
            found: str | None = (await connection.execute(query)).scalar()
        return found

    # -- trials -----------------------------------------------------------------------------------------------------

    async def trial(self, trial_id: str, *, run: str | None = None) -> TrialRow:
        """A trial, of any run or of this one.

        Raises:
            UnknownRun: there is none.
        """
        query = select(TRIALS).where(TRIALS.c.id == trial_id)
        found = await self._trials(query if run is None else query.where(TRIALS.c.run == run))
        if not found:
            raise UnknownRun(
                f"there is no trial {trial_id!r} in this run" if run else f"there is no trial {trial_id!r}"
            )
        return found[0]

    async def trials(self, run_id: str) -> list[TrialRow]:
        """A run's trials in the order in which they are given away."""
        return await self._trials(select(*_LIGHT).where(TRIALS.c.run == run_id).order_by(TRIALS.c.position))

    async def of_session(self, session_id: str) -> TrialRow | None:
        """The open trial whose session this is."""
        query = select(TRIALS).where(TRIALS.c.session == session_id, TRIALS.c.state == "open")
        return next(iter(await self._trials(query)), None)

    async def unfinished(self, run_id: str) -> Counter[State]:
        """How many of a run's trials are in which state before `done`."""
        query = select(TRIALS.c.state, func.count()).where(TRIALS.c.run == run_id, TRIALS.c.state != "done")
        async with self._database.reading() as connection:
            return Counter({row[0]: row[1] for row in await connection.execute(query.group_by(TRIALS.c.state))})

    async def lease(self, run_id: str, n: int) -> list[TrialRow]:
        """Take up to `n` queued trials, each as a further attempt. Their sessions are to be made at once."""
        queued = (
            select(TRIALS.c.id)
            .where(TRIALS.c.run == run_id, TRIALS.c.state == "queued")
            .order_by(TRIALS.c.position)
            .limit(n)
            .with_for_update(skip_locked=True)  # on PostgreSQL; SQLite has one writer at a time
        )

        def work(connection: Connection) -> list[TrialRow]:
            ids = connection.execute(queued).scalars().all()
            taking = update(TRIALS).where(TRIALS.c.id.in_(ids), TRIALS.c.state == "queued")
            connection.execute(
                taking.values(
                    state="opening",
                    attempt=TRIALS.c.attempt + 1,
                    session=None,
                    until_ms=now_ms() + OPENING_MS,
                    started_ms=None,
                    closes_ms=None,
                )
            )
            rows = connection.execute(select(TRIALS).where(TRIALS.c.id.in_(ids)).order_by(TRIALS.c.position))
            return [_trial(row) for row in rows]

        return await self._database.write(work)

    async def opened(self, trial: TrialRow, session: str, *, started_ms: int, closes_ms: int) -> bool:
        """Note the session of a leased trial. False where the trial is nobody's any more."""
        opening = _at(trial, "opening").values(
            state="open", session=session, started_ms=started_ms, closes_ms=closes_ms, until_ms=now_ms() + LEASE_MS
        )
        return await self._done(opening)

    async def give_back(self, trial: TrialRow) -> None:
        """Queue a leased trial again whose session could not be made."""
        await self._done(_at(trial, "opening").values(state="queued", attempt=TRIALS.c.attempt - 1))

    async def prolong(self, trial_id: str, run_id: str, attempt: int | None) -> bool:
        """Prolong a lease. False where the attempt is not open any more."""
        going = update(TRIALS).where(TRIALS.c.id == trial_id, TRIALS.c.run == run_id, TRIALS.c.state == "open")
        if attempt is not None:
            going = going.where(TRIALS.c.attempt == attempt)
        return await self._done(going.values(until_ms=now_ms() + LEASE_MS))

    async def prolong_used(self, sessions: Collection[str]) -> None:
        """Prolong the leases of trials whose agents have called something just now, given their sessions."""
        if sessions:
            of_them = and_(TRIALS.c.session.in_(sessions), TRIALS.c.state == "open")
            await self._done(update(TRIALS).where(of_them).values(until_ms=now_ms() + LEASE_MS))

    async def submit(self, trial: TrialRow, attempt: int, submission: Mapping[str, Any]) -> Handed:
        """Take what a runner hands in. From now on nothing else is taken of this attempt."""
        if attempt != trial.attempt:
            return "late"
        by_then = "answered" if trial.closes_ms is None or wall_ms() < trial.closes_ms else "timeout"
        taking = _at(trial, "open").values(
            state="closing",
            ended=func.coalesce(TRIALS.c.ended, by_then),
            ended_ms=func.coalesce(TRIALS.c.ended_ms, now_ms()),
            submission=dict(submission),
        )
        if await self._done(taking):
            return "taken"
        now = await self.trial(trial.id)
        return "again" if now.attempt == attempt and now.state in ("closing", "done") else "late"

    async def reach_limit(self, session_id: str) -> None:
        """Note that the agent of an open trial has asked for more calls than it may make. Its runner may still hand in what it
        knows of the costs.
        """
        of_it = and_(TRIALS.c.session == session_id, TRIALS.c.state == "open", TRIALS.c.ended.is_(None))
        await self._done(update(TRIALS).where(of_it).values(ended="limit_calls", ended_ms=now_ms()))

    async def time_out(self) -> None:
        """Let those open trials be closed as they stand whose time is over, and whose runners have not said so."""
        over = and_(TRIALS.c.state == "open", TRIALS.c.closes_ms <= wall_ms() - LATE_MS)
        ended = func.coalesce(TRIALS.c.ended, "timeout")
        at = func.coalesce(TRIALS.c.ended_ms, TRIALS.c.closes_ms)
        await self._done(update(TRIALS).where(over).values(state="closing", ended=ended, ended_ms=at))

    async def fail(self, trial: TrialRow, error: str, submission: Mapping[str, Any] | None = None) -> Handed:
        """Note that an attempt came to nothing through nobody's fault: the trial is queued again, or ends as `infra`."""

        def work(connection: Connection) -> bool:
            # One that had reached a limit before has been tried: what its runner does then is all the same.
            limited = _at(trial, "open").where(TRIALS.c.ended.is_not(None))
            if connection.execute(limited.values(state="closing", error=error)).rowcount:
                return True
            again = _at(trial, "open").where(TRIALS.c.infra < MOST_INFRA)
            queued = again.values(state="queued", infra=TRIALS.c.infra + 1, error=error)
            if connection.execute(queued).rowcount:
                return True
            over = _at(trial, "open").values(
                state="closing",
                infra=TRIALS.c.infra + 1,
                ended="infra",
                ended_ms=now_ms(),
                error=error,
                submission=None if submission is None else dict(submission),
            )
            return connection.execute(over).rowcount > 0

        if await self._database.write(work):
            return "taken"
        now = await self.trial(trial.id)
        handed_before = now.attempt == trial.attempt and now.error == error and now.state != "open"
        return "again" if handed_before else "late"

    async def lost(self, trial: TrialRow, error: str) -> None:
        """Note that a trial that was to be closed has nothing left to be closed with: it is queued again, or stays `infra`."""
        again = _at(trial, "closing").where(TRIALS.c.infra < MOST_INFRA)
        queued = again.values(
            state="queued", infra=TRIALS.c.infra + 1, error=error, ended=None, ended_ms=None, submission=None
        )
        if not await self._done(queued):
            await self._done(_at(trial, "closing").values(ended="infra", error=error, session=None))

    async def busy(self) -> bool:
        """Whether any trial is in somebody's hands, or to be closed."""
        query = select(TRIALS.c.id).where(TRIALS.c.state.in_(("opening", "open", "closing"))).limit(1)
        async with self._database.reading() as connection:
            return (await connection.execute(query)).first() is not None

    async def lapsed(self) -> list[TrialRow]:
        """Open trials whose runner and agent have said nothing for too long. Those whose session was never made are queued again
        at once: nothing has been tried yet.
        """
        over = TRIALS.c.until_ms < now_ms()
        never = update(TRIALS).where(TRIALS.c.state == "opening", over)
        await self._done(never.values(state="queued", attempt=TRIALS.c.attempt - 1))
        return await self._trials(select(TRIALS).where(TRIALS.c.state == "open", over))

    async def closing(self) -> list[TrialRow]:
        """Trials that are to be sealed and graded."""
        return await self._trials(select(TRIALS).where(TRIALS.c.state == "closing"))

    async def close(
        self, trial: TrialRow, sealed: bytes, verdict: Mapping[str, Any], result: Mapping[str, Any]
    ) -> bool:
        """Enter what became of a trial. False where that has been done already: nothing is entered twice."""

        def work(connection: Connection) -> bool:
            closing = _at(trial, "closing").values(
                state="done",
                ended=result["ended"],
                error=result["error"],
                success=bool(result["success"]),
                score=float(result["score"]),
                verdict=dict(verdict),
                result=dict(result),
            )
            if not connection.execute(closing).rowcount:
                return False
            connection.execute(insert(TRIAL_RECORDS).values(trial=trial.id, sealed=sealed))
            return True

        return await self._database.write(work)

    async def sealed(self, trial_id: str) -> bytes | None:
        """A sealed trial's bytes; None before it is sealed."""
        query = select(TRIAL_RECORDS.c.sealed).where(TRIAL_RECORDS.c.trial == trial_id)
        async with self._database.reading() as connection:
            found: bytes | None = (await connection.execute(query)).scalar()
        return found

    # -- inside -----------------------------------------------------------------------------------------------------

    async def _done(self, statement: Any) -> bool:
        return await self._database.write(lambda connection: connection.execute(statement).rowcount > 0)

    async def _trials(self, query: Select[Any]) -> list[TrialRow]:
        async with self._database.reading() as connection:
            return [_trial(row) for row in await connection.execute(query)]


def _at(trial: TrialRow, state: State) -> Any:
    """An update of a trial that is still at this attempt, in this state."""
    return update(TRIALS).where(TRIALS.c.id == trial.id, TRIALS.c.attempt == trial.attempt, TRIALS.c.state == state)


def _digest(token: str) -> str:
    return hashlib.blake2b(token.encode(), digest_size=32, person=b"soundstage run").hexdigest()


def _fields(of: RunTask | TrialRow) -> dict[str, Any]:
    return {name: getattr(of, name) for name in of.__slots__}


def _run(row: Row[Any]) -> Run:
    return Run(row.id, row.created_ms, RunBody.model_validate(row.plan), row.stopped)


def _trial(row: Row[Any]) -> TrialRow:
    return TrialRow(**row._mapping)
