"""Storage of runs and trials: each statement is atomic in the registry.

A trial passes through the states `queued` → `opening` (leased, its session is being created) → `open` → `closing` (no further
input, waiting to be sealed and graded) → `done`. An attempt that failed for reasons outside the agent returns to `queued`, at
most twice. Each statement names the expected state and attempt, so that of two concurrent statements only one takes effect.
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
from soundstage.runs.tables import RUN_TASKS, RUN_TOKENS, RUNS, TRIAL_RECORDS, TRIALS
from soundstage.runs.task_files import task_from_text

LEASE_MS = 120_000
"""A trial is lost after this time without a heartbeat of its runner or a call of its agent."""
LATE_MS = 5_000
"""Time after a trial's deadline during which its runner may still report usage."""
OPENING_MS = 30_000
"""A gateway that takes longer to create a session is assumed to have ended."""
MOST_INFRA = 2
"""Maximum number of repeated attempts of a trial."""


_LIGHT = [column for column in TRIALS.c if column.name not in ("submission", "result", "verdict")]


class UnknownRun(LookupError):
    """The run or trial does not exist."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run with its request (`plan`); `created_ms` is epoch milliseconds."""

    id: str
    created_ms: int
    plan: RunBody
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class RunTask:
    """A task as it was when its run began: its file, and the ids of its names and its world's people in the apps.

    `alias` is its name for runners; `oracle_calls` the number of calls in its solution.
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
    """The results of a run's trials so far.

    `ended` counts finished trials, `graded` those with a result. `success` and `score` are means over graded trials, None
    without any; trials with upstreams count in neither.
    """

    tasks: tuple[str, ...]
    states: Counter[State]
    ended: Counter[Ended]
    graded: int
    success: float | None
    score: float | None

    @property
    def trials(self) -> int:
        """The number of the run's trials."""
        return self.states.total()


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A trial as stored.

    `session` is that of the newest attempt, `closes_ms` the time at which its address closes; both are None before the first
    attempt. `submission` is the runner's report. `submission`, `result` and `verdict` are only loaded when a single trial is
    read.
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


SubmissionStatus = Literal["taken", "again", "late"]
"""The fate of a submission: accepted, already accepted before, or too late because the attempt is over."""


class RunStore:
    """Reads and writes runs and trials; every method raises `RegistryUnavailable` if the registry does not respond."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- runs -------------------------------------------------------------------------------------------------------

    async def add(self, run: Run, tasks: Sequence[RunTask], trials: Sequence[TrialRow]) -> None:
        """Insert a new run atomically."""

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
        """Return a run; `last` is the newest.

        Raises:
            UnknownRun: It does not exist; the message explains how to list the runs.
        """
        query = select(RUNS)
        newest = query.order_by(RUNS.c.created_ms.desc(), RUNS.c.id).limit(1)
        async with self._database.reading() as connection:
            row = (await connection.execute(newest if run_id == "last" else query.where(RUNS.c.id == run_id))).first()
        if row is None:
            message = (
                "there are no runs yet" if run_id == "last" else f"there is no run {run_id!r}; GET /api/runs lists them"
            )
            raise UnknownRun(message)
        return _run(row)

    async def runs(self, *, offset: int, limit: int) -> tuple[list[Run], int]:
        """Return a page of runs, the newest first, and the total number."""
        query = select(RUNS).order_by(RUNS.c.created_ms.desc(), RUNS.c.id).offset(offset).limit(limit)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
            total = (await connection.execute(select(func.count()).select_from(RUNS))).scalar_one()
        return [_run(row) for row in rows], int(total)

    async def tasks(self, run_id: str) -> list[RunTask]:
        """Return a run's tasks, sorted by name."""
        query = select(RUN_TASKS).where(RUN_TASKS.c.run == run_id).order_by(RUN_TASKS.c.task)
        async with self._database.reading() as connection:
            return [RunTask(**row._mapping) for row in await connection.execute(query)]

    async def task(self, run_id: str, task: str) -> RunTask:
        """Return one of a run's tasks."""
        query = select(RUN_TASKS).where(RUN_TASKS.c.run == run_id, RUN_TASKS.c.task == task)
        async with self._database.reading() as connection:
            return RunTask(**(await connection.execute(query)).one()._mapping)

    async def tally(self, run_id: str) -> Tally:
        """Return the results of a run's trials so far."""
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
                if task_from_text(source, name).distractors.upstreams
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
        """Return the result lines of a run's graded trials in the order of leasing."""
        query = select(TRIALS.c.result).where(TRIALS.c.run == run_id, TRIALS.c.success.is_not(None))
        async with self._database.reading() as connection:
            return list((await connection.execute(query.order_by(TRIALS.c.position))).scalars())

    async def stop(self, run_id: str) -> None:
        """Stop leasing a run's trials and close the open ones in their present state."""
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
        """Create a token for a run; return it with its expiry in epoch milliseconds."""
        token = f"rt_{secrets.token_urlsafe(32)}"
        expires_ms = wall_ms() + int(ttl_s * 1000)
        adding = insert(RUN_TOKENS).values(digest=_digest(token), run=run_id, expires_ms=expires_ms)
        await self._database.write(lambda connection: connection.execute(adding))
        return token, expires_ms

    async def opened_by(self, token: str) -> str | None:
        """Return the run that a token grants access to; None if the token is unknown or expired."""
        query = select(RUN_TOKENS.c.run).where(
            RUN_TOKENS.c.digest == _digest(token), RUN_TOKENS.c.expires_ms > wall_ms()
        )
        async with self._database.reading() as connection:
            run: str | None = (await connection.execute(query)).scalar()
        return run

    # -- trials -----------------------------------------------------------------------------------------------------

    async def trial(self, trial_id: str, *, run: str | None = None) -> TrialRow:
        """Return a trial, optionally restricted to a run.

        Raises:
            UnknownRun: The trial does not exist.
        """
        query = select(TRIALS).where(TRIALS.c.id == trial_id)
        rows = await self._trials(query if run is None else query.where(TRIALS.c.run == run))
        if not rows:
            raise UnknownRun(
                f"there is no trial {trial_id!r} in this run" if run else f"there is no trial {trial_id!r}"
            )
        return rows[0]

    async def trials(self, run_id: str) -> list[TrialRow]:
        """Return a run's trials in the order of leasing."""
        return await self._trials(select(*_LIGHT).where(TRIALS.c.run == run_id).order_by(TRIALS.c.position))

    async def of_session(self, session_id: str) -> TrialRow | None:
        """Return the open trial that uses a session."""
        query = select(TRIALS).where(TRIALS.c.session == session_id, TRIALS.c.state == "open")
        return next(iter(await self._trials(query)), None)

    async def unfinished(self, run_id: str) -> Counter[State]:
        """Count a run's unfinished trials by state."""
        query = select(TRIALS.c.state, func.count()).where(TRIALS.c.run == run_id, TRIALS.c.state != "done")
        async with self._database.reading() as connection:
            return Counter({row[0]: row[1] for row in await connection.execute(query.group_by(TRIALS.c.state))})

    async def lease(self, run_id: str, n: int) -> list[TrialRow]:
        """Lease up to `n` queued trials, each as a new attempt; the caller creates their sessions immediately."""
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
        """Record the session of a leased trial; return False if the lease was lost."""
        opening = _at(trial, "opening").values(
            state="open", session=session, started_ms=started_ms, closes_ms=closes_ms, until_ms=now_ms() + LEASE_MS
        )
        return await self._done(opening)

    async def give_back(self, trial: TrialRow) -> None:
        """Return a leased trial to the queue because its session could not be created."""
        await self._done(_at(trial, "opening").values(state="queued", attempt=TRIALS.c.attempt - 1))

    async def prolong(self, trial_id: str, run_id: str, attempt: int | None) -> bool:
        """Extend a lease; return False if the attempt is not open any more."""
        going = update(TRIALS).where(TRIALS.c.id == trial_id, TRIALS.c.run == run_id, TRIALS.c.state == "open")
        if attempt is not None:
            going = going.where(TRIALS.c.attempt == attempt)
        return await self._done(going.values(until_ms=now_ms() + LEASE_MS))

    async def prolong_used(self, sessions: Collection[str]) -> None:
        """Extend the leases of the trials whose agents used these sessions recently."""
        if sessions:
            of_them = and_(TRIALS.c.session.in_(sessions), TRIALS.c.state == "open")
            await self._done(update(TRIALS).where(of_them).values(until_ms=now_ms() + LEASE_MS))

    async def submit(self, trial: TrialRow, attempt: int, submission: Mapping[str, Any]) -> SubmissionStatus:
        """Accept a runner's submission; nothing further is accepted for this attempt."""
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
        """Record that the agent of an open trial exceeded its call limit; the runner may still report its costs."""
        of_it = and_(TRIALS.c.session == session_id, TRIALS.c.state == "open", TRIALS.c.ended.is_(None))
        await self._done(update(TRIALS).where(of_it).values(ended="limit_calls", ended_ms=now_ms()))

    async def time_out(self) -> None:
        """Start closing the open trials whose time is over and whose runners have not reported."""
        over = and_(TRIALS.c.state == "open", TRIALS.c.closes_ms <= wall_ms() - LATE_MS)
        ended = func.coalesce(TRIALS.c.ended, "timeout")
        at = func.coalesce(TRIALS.c.ended_ms, TRIALS.c.closes_ms)
        await self._done(update(TRIALS).where(over).values(state="closing", ended=ended, ended_ms=at))

    async def fail(self, trial: TrialRow, error: str, submission: Mapping[str, Any] | None = None) -> SubmissionStatus:
        """Record that an attempt failed for reasons outside the agent: the trial is queued again, or ends as `infra`."""

        def work(connection: Connection) -> bool:
            # An attempt that had reached a limit is valid, whatever its runner reports afterwards.
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
        """Record that a trial cannot be closed because its session is lost: it is queued again, or ends as `infra`."""
        again = _at(trial, "closing").where(TRIALS.c.infra < MOST_INFRA)
        queued = again.values(
            state="queued", infra=TRIALS.c.infra + 1, error=error, ended=None, ended_ms=None, submission=None
        )
        if not await self._done(queued):
            await self._done(_at(trial, "closing").values(ended="infra", error=error, session=None))

    async def busy(self) -> bool:
        """Whether any trial is leased or waiting to be closed."""
        query = select(TRIALS.c.id).where(TRIALS.c.state.in_(("opening", "open", "closing"))).limit(1)
        async with self._database.reading() as connection:
            return (await connection.execute(query)).first() is not None

    async def restart_leases(self) -> None:
        """Restart the leases of all trials: after a jump of the system clock their age is unknown."""
        leased = update(TRIALS).where(TRIALS.c.state.in_(("opening", "open")))
        await self._done(leased.values(until_ms=now_ms() + LEASE_MS))

    async def lapsed(self) -> list[TrialRow]:
        """Return open trials without recent activity of runner and agent.

        Leased trials whose session was never created are queued again immediately, because nothing has been tried yet.
        """
        over = TRIALS.c.until_ms < now_ms()
        never = update(TRIALS).where(TRIALS.c.state == "opening", over)
        await self._done(never.values(state="queued", attempt=TRIALS.c.attempt - 1))
        return await self._trials(select(TRIALS).where(TRIALS.c.state == "open", over))

    async def closing(self) -> list[TrialRow]:
        """Return the trials that wait to be sealed and graded."""
        return await self._trials(select(TRIALS).where(TRIALS.c.state == "closing"))

    async def close(
        self, trial: TrialRow, sealed: bytes, verdict: Mapping[str, Any], result: Mapping[str, Any]
    ) -> bool:
        """Store the result of a trial; return False if a result was stored before."""

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
        """Return a sealed trial's bytes; None before it is sealed."""
        query = select(TRIAL_RECORDS.c.sealed).where(TRIAL_RECORDS.c.trial == trial_id)
        async with self._database.reading() as connection:
            sealed: bytes | None = (await connection.execute(query)).scalar()
        return sealed

    # -- inside -----------------------------------------------------------------------------------------------------

    async def _done(self, statement: Any) -> bool:
        return await self._database.write(lambda connection: connection.execute(statement).rowcount > 0)

    async def _trials(self, query: Select[Any]) -> list[TrialRow]:
        async with self._database.reading() as connection:
            return [_trial(row) for row in await connection.execute(query)]


def _at(trial: TrialRow, state: State) -> Any:
    """Build an update of a trial that applies only in this attempt and state."""
    return update(TRIALS).where(TRIALS.c.id == trial.id, TRIALS.c.attempt == trial.attempt, TRIALS.c.state == state)


def _digest(token: str) -> str:
    return hashlib.blake2b(token.encode(), digest_size=32, person=b"soundstage run").hexdigest()


def _fields(of: RunTask | TrialRow) -> dict[str, Any]:
    return {name: getattr(of, name) for name in of.__slots__}


def _run(row: Row[Any]) -> Run:
    return Run(row.id, row.created_ms, RunBody.model_validate(row.plan), row.stopped)


def _trial(row: Row[Any]) -> TrialRow:
    return TrialRow(**row._mapping)
