"""Close trials: stop accepting input, seal what happened in their sessions, and grade it.

Every step may be repeated after a gateway was killed in between: the registry stores what remains to be done, and accepts a
result once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Literal

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import wall_ms
from soundstage.contexts.engine.problems import ContextError, ContextTaken, DiskFull
from soundstage.contexts.engine.store import Context
from soundstage.gateway.calls.toolset import shared_toolset
from soundstage.gateway.clock_jumps import JumpDetector
from soundstage.gateway.extension import GatewayServices
from soundstage.gateway.log import log
from soundstage.gateway.registry.database import RegistryUnavailable
from soundstage.gateway.search.declared import MAX_QUERY, MAX_RESULTS, first_sentence
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.offload import in_thread, is_short_work
from soundstage.gateway.sessions.problems import OwnedElsewhere, UnknownSession
from soundstage.gateway.sessions.session import Session
from soundstage.grading.checks import Outcome
from soundstage.grading.evidence import Key as RowKey
from soundstage.grading.task import Task
from soundstage.runs import metrics
from soundstage.runs.graders import GraderPool, GradingInterrupted
from soundstage.runs.models import SubmitBody, UsageBody
from soundstage.runs.opening import session_of
from soundstage.runs.results import BESIDE_UPSTREAMS
from soundstage.runs.sealed import Agent, Header, Sealed, Usage, seal
from soundstage.runs.signing import data_key
from soundstage.runs.store import Run, RunStore, RunTask, SubmissionStatus, TrialRow
from soundstage.runs.task_files import task_from_text
from soundstage.servers.catalogue import load_app

_LOOK_S = 2.0
_AGAIN_S = 60.0
"""Seconds before a trial that could not be closed is tried again."""
_ANSWER_S = 20.0
"""Maximum seconds that a submission waits for the trial to be graded."""
_SOON_S = 5.0
"""Maximum seconds that a round waits for grading, so that one slow trial does not delay the others."""
_MOST_CLOSING = 8  # trials that are sealed and graded at once
_MARKERS = "unstored"
_NOT_STORED = "storage failed: the submission could not be stored"
_STILL_S = 10.0
"""Maximum seconds to wait for the calls in progress."""


class TrialCloser:
    """Closes the trials whose sessions this gateway owns or can take over."""

    def __init__(self, services: GatewayServices, store: RunStore) -> None:
        self._services = services
        self._graders = GraderPool(lambda: services.sessions.draining)
        self._sessions = services.sessions
        self._store = store
        self._not_before: dict[str, float] = {}  # trials that could not be graded
        self._in_progress: set[str] = set()
        self._places = asyncio.Semaphore(_MOST_CLOSING)
        self._last_round = time.monotonic()
        self._jumps = JumpDetector()
        self._background: set[asyncio.Task[None]] = set()
        services.sessions.on_calls_used_up = self._limit_reached
        services.calls.submit_answer.receive = self._take_answer
        services.calls.on_storage_failure = self._storage_failed
        self._failed: dict[str, str] = {}  # sessions whose calls could not be stored, and why
        self._rejected: set[str] = set()  # sessions whose submissions could not be stored
        self._markers = services.settings.data / _MARKERS

    async def submit(self, trial: TrialRow, body: SubmitBody) -> SubmissionStatus:
        """Accept a runner's submission and close the trial.

        Raises:
            OwnedElsewhere: Another gateway owns the trial's session; nothing was accepted.
        """
        if trial.state == "open" and trial.session is not None and body.attempt == trial.attempt:
            try:
                await self._sessions.by_id(trial.session)
            except (UnknownSession, ContextError) as error:
                log.warning("a trial's session cannot be used", trial=trial.id, reason=str(error))
        submission = body.model_dump(mode="json")
        failure = body.error or self._failed.get(trial.session or "") or self._lost_submission(trial)
        with self._remember_rejection(trial):
            if failure is not None and body.attempt == trial.attempt:
                status = await self._store.fail(trial, failure, submission)
            else:
                status = await self._store.submit(trial, body.attempt, submission)
        if status == "taken":
            await self._run_within([self._release(trial)], within_s=_ANSWER_S)
        return status

    def prepare(self) -> None:
        """Start a grading process in advance; called when trials are leased."""
        self._graders.prepare()

    async def close_due_trials(self) -> None:
        """Run one round: end trials whose lease or time has run out, and close the trials that wait for it."""
        jump_s = self._jumps.jump_s()
        if not await self._store.busy():
            return
        if jump_s:
            log.warning("the system clock jumped forwards; the leases of trials start again", seconds=round(jump_s))
            await self._store.restart_leases()
        since, self._last_round = self._last_round, time.monotonic()
        await self._store.prolong_used(self._sessions.active_since(since))
        await self._fail_unstored()
        await self._fail_rejected()
        await self._store.time_out()
        for trial in await self._store.lapsed():
            if await self._store.fail(trial, "the runner sent no heartbeat in time") == "taken":
                await self._release(trial)
        due = [t for t in await self._store.closing() if self._not_before.get(t.id, 0.0) <= time.monotonic()]
        await self._run_within(
            [self._close(trial) for trial in due if trial.id not in self._in_progress], within_s=_SOON_S
        )

    async def run(self) -> None:
        """Run rounds until cancelled."""
        while True:
            await asyncio.sleep(_LOOK_S)
            try:
                await self.close_due_trials()
            except RegistryUnavailable as error:
                log.warning("due trials could not be closed", reason=str(error))
            except Exception:
                log.exception("closing due trials failed; trying again in the next round")

    async def end(self) -> None:
        """Stop closing trials and end the worker processes. Ungraded trials stay in the state `closing`."""
        for task in self._background:
            task.cancel()
        await self._graders.close()

    # -- inside -----------------------------------------------------------------------------------------------------

    def _storage_failed(self, session: Session, problem: ContextError) -> None:
        """Remember that a trial's call could not be stored. The registry may be on the same full disk."""
        self._failed.setdefault(session.id, f"storage failed: {type(problem).__name__}")
        self._mark(session.id, "call")

    def _mark(self, session: str, kind: Literal["call", "submission"]) -> None:
        """Create an empty file that outlives this process. A full disk usually still has room for one."""
        with suppress(OSError):
            self._markers.mkdir(exist_ok=True)
            (self._markers / f"{session}.{kind}").touch()

    def _unmark(self, session: str, kind: Literal["call", "submission"]) -> None:
        with suppress(OSError):
            (self._markers / f"{session}.{kind}").unlink(missing_ok=True)

    def _marked(self, kind: Literal["call", "submission"]) -> list[str]:
        """Return the sessions marked by this process, by one that ended, or by another worker."""
        return sorted(path.stem for path in self._markers.glob(f"*.{kind}"))

    def _lost_submission(self, trial: TrialRow) -> str | None:
        """Return the failure of an attempt that is over, if an earlier submission of it could not be stored."""
        over = trial.closes_ms is not None and trial.closes_ms <= wall_ms()
        return _NOT_STORED if over and trial.session in {*self._rejected, *self._marked("submission")} else None

    @contextmanager
    def _remember_rejection(self, trial: TrialRow) -> Iterator[None]:
        """Remember that a submission could not be stored: the attempt must not time out as the agent's failure."""
        try:
            yield
        except RegistryUnavailable:
            if trial.session is not None:
                self._rejected.add(trial.session)
                self._mark(trial.session, "submission")
            raise
        if trial.session is not None and trial.session in self._rejected:
            self._rejected.discard(trial.session)
            self._unmark(trial.session, "submission")

    async def _fail_rejected(self) -> None:
        """End the attempts whose time is over and whose submissions could not be stored, as `infra`."""
        for session in sorted({*self._rejected, *self._marked("submission")}):
            trial = await self._store.of_session(session)
            if trial is not None and (failure := self._lost_submission(trial)) is None:
                continue  # its runner or agent can still repeat the submission
            if trial is not None and await self._store.fail(trial, failure or _NOT_STORED) == "taken":
                await self._release(trial)
            self._rejected.discard(session)
            self._unmark(session, "submission")

    async def _fail_unstored(self) -> None:
        """End the attempts whose calls could not be stored: they count as `infra`, and their trials are repeated."""
        marked = dict.fromkeys(self._marked("call"), "storage failed")
        for session, reason in {**marked, **self._failed}.items():
            trial = await self._store.of_session(session)
            if trial is not None and await self._store.fail(trial, reason) == "taken":
                await self._release(trial)
            self._failed.pop(session, None)
            self._unmark(session, "call")

    def _limit_reached(self, session: Session) -> None:
        self._in_background(self._store.reach_limit(session.id))

    async def _take_answer(self, session: Session, text: str, outcome: Outcome) -> bool:
        """Accept the answer of an agent without a runner."""
        trial = await self._store.of_session(session.id)
        if trial is None:
            return False
        if session.id in self._failed:
            await self._fail_unstored()
            return True
        body = SubmitBody(attempt=trial.attempt, answer=text, outcome=outcome)
        with self._remember_rejection(trial):
            taken = await self._store.submit(trial, trial.attempt, body.model_dump(mode="json"))
        if taken != "taken":
            return False
        self._in_background(
            self._close(await self._store.trial(trial.id))
        )  # closing waits until this request has ended
        return True

    def _in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine in the background, independent of the current request."""
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._log_failure)
        return task

    async def _run_within(self, works: Sequence[Coroutine[Any, Any, None]], *, within_s: float) -> None:
        """Run coroutines and wait up to `within_s` seconds; slower ones continue in the background."""
        if works:
            await asyncio.wait({self._in_background(work) for work in works}, timeout=within_s)

    def _log_failure(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning(
                "the end of a trial could not be recorded; it is processed again in a later round", reason=str(error)
            )

    async def _release(self, trial: TrialRow) -> None:
        """Close a trial that was open; if it is tried again, end the session of the void attempt instead."""
        now = await self._store.trial(trial.id)
        if now.ended == "infra" or now.state in ("queued", "opening", "open"):
            metrics.LOST.inc()
        if now.state in ("closing", "done"):
            await self._close(now)
            return
        if trial.session is None:
            return
        try:
            session = await self._sessions.by_id(trial.session)
            await self._sessions.end_bounded(session, keep_s=0)
        except (OwnedElsewhere, UnknownSession, ContextError) as error:
            # A session of another gateway ends there at its time limit.
            log.info(
                "the session of a lost attempt cannot be ended here; it ends at its time limit",
                session=trial.session,
                reason=str(error),
            )

    async def _close(self, trial: TrialRow) -> None:
        """Seal and grade a trial, unless another gateway owns its session."""
        if trial.id in self._in_progress:
            return
        self._in_progress.add(trial.id)
        try:
            async with self._places:
                await self._seal_and_grade(trial)
        except (OwnedElsewhere, RegistryUnavailable, GradingInterrupted, DiskFull) as error:
            log.info("a trial is closed later, or by another gateway", trial=trial.id, reason=str(error))
        except Exception:
            self._not_before[trial.id] = time.monotonic() + _AGAIN_S
            log.exception("a trial could not be closed", trial=trial.id)
        finally:
            self._in_progress.discard(trial.id)

    async def _seal_and_grade(self, trial: TrialRow) -> None:
        run, taken = await self._store.run(trial.run), await self._store.task(trial.run, trial.task)
        try:
            session = await self._session_of(run, taken, trial)
        except (UnknownSession, ContextError) as error:
            if isinstance(error, ContextTaken):
                return
            if isinstance(error, DiskFull):
                raise  # the session is intact, and is sealed once the disk has room
            log.warning("a trial's session is gone", trial=trial.id, reason=str(error))
            metrics.LOST.inc()
            await self._store.lost(trial, f"its session is gone: {error}")
            return
        await self._sessions.end_bounded(session, keep_s=run.plan.keep_sessions)
        await _wait_until_idle(session)
        began = time.perf_counter()
        sealed = await self._sealed(session, run, taken, trial)
        key = data_key(self._services.settings.data)
        data, verdict, result = await self._graders.finish(sealed, taken.source, key)
        if await self._store.close(trial, data, verdict, result):
            metrics.SECONDS.inc(time.perf_counter() - began)
            metrics.TRIALS.labels(result["ended"]).inc()

    async def _session_of(self, run: Run, taken: RunTask, trial: TrialRow) -> Session:
        """Return the session of a trial; if all its attempts were lost, a new one without calls."""
        if trial.session is not None:
            return await self._sessions.by_id(trial.session)
        settings, upstreams = self._services.settings, self._sessions.upstream_apps()
        return await self._sessions.create(session_of(run, taken, trial, settings, upstreams, now_ms=wall_ms()))

    async def _sealed(self, session: Session, run: Run, taken: RunTask, trial: TrialRow) -> Sealed:
        """Seal a trial; a long journal is read in a thread, so that other sessions are not delayed."""
        header = _header(session, run, taken, trial)
        findable = await _findable(self._services.calls.finder, session, task_from_text(taken.source, taken.task))
        if session.durability == "memory" or session.users:
            await session.wait_until_free()
            if is_short_work(session.context, steps=journal.last_step(session.context), objects=True):
                return _sealed(session.context, taken, header, findable)
            async with session.exclusive():
                return await in_thread(_sealed, session.context, taken, header, findable)

        def apart() -> Sealed:
            with self._sessions.open_read_only(record) as context:
                return _sealed(context, taken, header, findable)

        record = session.record
        self._sessions.close(session)
        return await asyncio.to_thread(apart)


async def _findable(finder: ToolFinder, session: Session, task: Task) -> dict[str, int | None]:
    """Return the rank of each tool that the oracle calls in a search with its own words, if the agent had to search."""
    if session.record.tools != "search":
        return {}
    toolset = shared_toolset(session.apps, "search", session.record.shown)
    places = {(target.app.name, target.tool): i for i, target in enumerate(toolset.targets.values())}
    result: dict[str, int | None] = {}
    for app, name in dict.fromkeys((call.app, call.tool) for call in task.oracle):
        own = places.get((app, name))
        hits = []
        if own is not None:
            words = first_sentence(load_app(app).tools[name].description)[:MAX_QUERY]
            hits = await finder.find(toolset.catalogue, words, MAX_RESULTS)
        result[f"{app}/{name}"] = next((i for i, hit in enumerate(hits, 1) if hit.position == own), None)
    return result


def _sealed(context: Context, taken: RunTask, header: Header, findable: Mapping[str, int | None]) -> Sealed:
    task = task_from_text(taken.source, taken.task)
    names: dict[str, RowKey] = {name: (key[0], key[1], key[2]) for name, key in taken.names.items()}
    people = {person: {app: frozenset(ids) for app, ids in known.items()} for person, known in taken.people.items()}
    return seal(context, task, header, names, people, findable)


def _header(session: Session, run: Run, taken: RunTask, trial: TrialRow) -> Header:
    task, plan = task_from_text(taken.source, taken.task), run.plan
    # A submission after a limit only reports costs: the trial is judged by its state at the limit.
    status = SubmitBody.model_validate(trial.submission) if trial.submission is not None else None
    answered = status is not None and trial.ended == "answered"
    listed = task.tools if plan.tools == "task" else plan.tools
    tools = str(listed) if isinstance(listed, str | int) else "needed"
    tools += "+submit_answer" if plan.answer_tool else ""
    tools += BESIDE_UPSTREAMS if task.distractors.upstreams else ""
    return Header(
        run=run.id,
        trial=trial.id,
        task=task.task,
        task_version=task.version,
        task_digest=taken.digest,
        oracle_calls=taken.oracle_calls,
        k=trial.k,
        seed=trial.seed,
        faults=trial.faults,
        variant=trial.variant,
        tools=tools,
        world=task.world,
        fingerprint=taken.fingerprint,
        user=task.user,
        zone=taken.zone,
        apps=session.apps,
        agent=Agent(plan.agent.name, plan.agent.version, plan.agent.model),
        attempt=trial.attempt,
        started_ms=trial.started_ms or session.record.created_ms,
        ended_ms=trial.ended_ms or wall_ms(),
        ended=trial.ended or "answered",
        outcome=status.outcome if answered and status is not None else "gave_up",
        answer=status.answer if answered and status is not None else "",
        usage=None if status is None else _usage(status.usage),
        error=trial.error,
    )


def _usage(given: UsageBody | None) -> Usage | None:
    return None if given is None else Usage(given.input_tokens, given.output_tokens, given.cost_usd, given.turns)


async def _wait_until_idle(session: Session) -> None:
    """Wait until the last calls of a closed session have ended."""
    until = time.monotonic() + _STILL_S
    while session.users and time.monotonic() < until:  # noqa: ASYNC110 no event marks the end of a request
        await asyncio.sleep(0.02)
