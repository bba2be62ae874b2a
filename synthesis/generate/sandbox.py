"""Measure candidates: their kernels run in the confined process, all else of a call as in the gateway.

An app's tables and dialect are data, so nothing of a candidate is imported here. Each run has its own context in memory.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import apsw

from soundstage import app_roots
from soundstage.contexts.app_errors import BrokenApp
from soundstage.contexts.apps import tables_for
from soundstage.contexts.engine import journal, state
from soundstage.contexts.engine.budget import BudgetExceeded
from soundstage.contexts.engine.clock import Clock, parse_moment, to_ms
from soundstage.contexts.engine.store import Context, create_tables, tune
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.log import quiet
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.session import Session
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.catalogue import App, UnknownApp, load_app
from soundstage.servers.confined.host import ConfinedProcess, Kernel, Unconfined, is_allowed, missing_layers
from soundstage.synthesis.traverse.places import put_at
from soundstage.synthesis.traverse.replies import content_of
from soundstage.synthesis.traverse.values import at_reference

_DEFAULT_TIME = "2026-11-20T09:00:00Z"


class SandboxFailed(RuntimeError):
    """The process for candidates does not start, or does not confine them; the message says why."""


@dataclass(frozen=True, slots=True)
class Step:
    """A call; `refs` maps places of the arguments to an earlier call of the run (index from 0) and a place in its reply."""

    tool: str
    arguments: Mapping[str, Any] | None
    refs: Mapping[str, tuple[int, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """A state in the format of `PUT state`, consecutive calls, and the session's clock and seed."""

    calls: Sequence[Step]
    state: Mapping[str, Any] = field(default_factory=dict)
    clock: str | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class CandidateAnswer:
    """A candidate's answer: the reply, success, MCP's flag, changed rows, CPU microseconds, and any unexpected exception."""

    reply: Mapping[str, Any]
    ok: bool
    is_error: bool | None
    error_kind: str | None
    changed: int
    us: int
    raised: str | None


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run; `problem` is the reason if there are no answers."""

    answers: Sequence[CandidateAnswer] = ()
    state: Mapping[str, Any] = field(default_factory=dict)
    problem: str | None = None


class Sandbox:
    """The confined process for candidates, running during a `with` block."""

    def __init__(self) -> None:
        self.layers: tuple[str, ...] = ()

    def __enter__(self) -> Sandbox:
        """Start the process.

        Raises:
            SandboxFailed: it does not start, or this system does not confine it and the operator has not accepted that.
        """
        self._process = ConfinedProcess()
        try:
            self.layers = self._process.layers
        except Unconfined as error:
            raise SandboxFailed(str(error)) from None
        if (missing := missing_layers(self.layers)) and not is_allowed():
            self._process.close()
            raise SandboxFailed(
                f"this system does not confine candidates (missing: {', '.join(missing)}); to run them with your own rights "
                "all the same, give --allow-unconfined-kernels"
            )
        return self

    @property
    def process(self) -> int:
        """The id of the process that was started last."""
        return self._process.process_id

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._process.close()

    def run(
        self, app: str, files: Mapping[str, bytes], runs: Sequence[Run], *, seconds: float = 60.0
    ) -> list[RunResult]:
        """Run an app made of these files (by path below an app root) and return its answers.

        Runs that have not started after `seconds` of wall time are skipped, with that as their problem.

        Raises:
            SandboxFailed
        """
        until = time.monotonic() + seconds
        result: list[RunResult] = []
        with app_roots.before_others(app_roots.Files(app, files)), quiet():
            try:
                loaded = load_app(app)
            except (BrokenApp, UnknownApp) as error:
                return [RunResult(problem=str(error)) for _ in runs]
            raised: list[str] = []
            for tool in loaded.tools.values():
                tool.__dict__["kernel"] = _noting(Kernel(app, tool.module, self._process), raised)
            for run in runs:
                if time.monotonic() > until:
                    result.append(RunResult(problem=f"the candidate was stopped ({seconds:g} s for all runs)"))
                else:
                    result.append(_run(self._process, loaded, run, raised))
        return result


def _run(process: ConfinedProcess, app: App, run: Run, raised: list[str]) -> RunResult:
    """Execute one run; kernels add their exceptions to `raised`."""
    clock = Clock("frozen", to_ms(parse_moment(run.clock or _DEFAULT_TIME)))
    with contextlib.closing(apsw.Connection(":memory:")) as connection:
        try:
            session = _session(connection, app, clock, run)
            contents: list[Any] = []
            answers: list[CandidateAnswer] = []
            for step in run.calls:
                raised.clear()
                answers.append(_answered(process, session, app, step, contents, raised))
                contents.append(content_of(answers[-1].reply))
            return RunResult(answers, state.dump(session.context, app.name).get(app.name, {}))
        except Unconfined as error:
            raise SandboxFailed(str(error)) from None
        except Exception as error:
            return RunResult(problem=f"{type(error).__name__}: {error}"[:2000])


def _session(connection: apsw.Connection, app: App, clock: Clock, run: Run) -> Session:
    tables = tables_for([app.name])
    create_tables(connection, tables, world="empty", seed=run.seed, clock=clock)
    context = Context(tune(connection), tables)
    with context.transaction() as meta:
        meta.seed, meta.clock = run.seed, clock
    if run.state:
        with context.transaction():
            state.load(context, {app.name: run.state})
    record = SessionRecord("r", "r", None, "empty", (app.name,), 0, clock, 0, None, durability="memory")
    return Session(record, context)


def _answered(
    process: ConfinedProcess, session: Session, app: App, step: Step, contents: Sequence[Any], raised: Sequence[str]
) -> CandidateAnswer:
    arguments: Any = step.arguments
    for place, (number, path) in step.refs.items():
        with contextlib.suppress(LookupError, TypeError):
            arguments = put_at(arguments, place, at_reference(contents[number], path))
    process.reported_us = 0
    began = time.thread_time_ns()  # CPU time, so that a busy machine does not make a candidate slow
    made = dispatch(session, app, step.tool, arguments)
    took = (time.thread_time_ns() - began) // 1000 + process.reported_us
    assert made.step is not None
    (row,) = journal.read(session.context, after=made.step - 1, limit=1)
    changed = len(list(journal.changes(session.context, row.receipt.changeset)))
    answer = made.delivery.answer
    return CandidateAnswer(
        made.delivery.reply or {}, made.delivery.ok, answer.is_error, answer.error_kind, changed, took,
        raised[-1] if raised else None,
    )  # fmt: skip


def _noting(kernel: Kernel, raised: list[str]) -> Callable[[Any, Arguments], Reply]:
    """Wrap a kernel so that its exceptions, except the app's own errors, are recorded."""

    def run(context: Any, arguments: Arguments) -> Reply:
        try:
            return kernel(context, arguments)
        except (AppError, Unconfined):
            raise
        except BudgetExceeded as exceeded:
            raised.append(exceeded.reason)
            raise
        except Exception as error:
            raised.append(str(error))
            raise

    return run
