"""Built-in agents, which verify that a run works, that its tasks can be solved, and that its figures distinguish agents.

Agents that solve tasks need data that no real agent has: the task's oracle and the rows behind its names. They query the
control plane for a trial's task and read it from the task files. Their actions use the agent plane like those of any agent.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from soundstage.client.control import Control
from soundstage.client.problems import GatewayError
from soundstage.client.requests import Request
from soundstage.grading.noise import Effect, altered, slips, with_slips
from soundstage.grading.oracle import Script, oracle, references
from soundstage.grading.task import OracleCall, Task, read_task
from soundstage.runs.drive.agent import Agent, Submission
from soundstage.runs.drive.player import TrialPlayer
from soundstage.runs.drive.tools import UNAVAILABLE_STATUS, GatewayUnavailable, Tools
from soundstage.runs.dry_run import DryRun
from soundstage.runs.models import LeasedTrial, TrialDetail
from soundstage.runs.task_files import missing_solution_message, task_folder
from soundstage.servers.catalogue import load_app
from soundstage.source import SourceError

KNOWN = ("oracle", "null", "reads", "oracle-retry", "noisy:P", "refuser", "person")
_REFUSAL = "I'm sorry, I can't help with that. 抱歉，这件事我帮不了你。"
_LOOKED = "I have looked at everything."

Part = Callable[[TrialPlayer], Submission]
"""The actions of an agent that knows a trial's task."""


class UnknownAgent(ValueError):
    """There is no built-in agent of this name; the message lists the known ones."""


class TaskUnavailable(LookupError):
    """A trial's task, its solution or its world is missing on this machine or unreadable; the message has the reason."""


@dataclass(frozen=True, slots=True)
class AgentResources:
    """The resources of built-in agents: the control plane, the folders of tasks, built worlds and own worlds, and an output."""

    control: Control
    tasks_dir: Path | None
    built: Path
    own_worlds: Path
    tell: Callable[[str], None]


def builtin(name: str, resources: AgentResources, *, jobs: int) -> Agent:
    """Return the agent of this name for `jobs` concurrent trials.

    Raises:
        NoSuchAgent: There is none.
    """
    match name.partition(":"):
        case "null", "", _:
            return FixedAnswerAgent(Submission("gave_up"))
        case "refuser", "", _:
            return FixedAnswerAgent(Submission("declined", _REFUSAL))
        case "person", "", _:
            return HumanAgent(resources.tell)
        case "oracle", "", _:
            return InformedAgent(resources, jobs, lambda player: player.play(oracle(player.task)))
        case "oracle-retry", "", _:
            return InformedAgent(
                resources, jobs, lambda player: player.play(oracle(player.task), player.call_until_done)
            )
        case "reads", "", _:
            return InformedAgent(resources, jobs, _only_read)
        case "noisy", ":", share if _is_share(share):
            return InformedAgent(resources, jobs, lambda player: _with_slips(player, float(share)))
    raise UnknownAgent(
        f"there is no built-in agent {name!r}; known: {', '.join(KNOWN)} (P from 0 to 1, such as noisy:0.2)"
    )


def is_builtin(name: str) -> bool:
    """Whether a name refers to a built-in agent, even if misspelt."""
    return name.partition(":")[0] in {known.partition(":")[0] for known in KNOWN}


def _is_share(text: str) -> bool:
    return re.fullmatch(r"\d*\.?\d+", text) is not None and 0 <= float(text) <= 1


@dataclass(frozen=True, slots=True)
class FixedAnswerAgent:
    """An agent with one constant answer and no calls."""

    submission: Submission

    async def work(self, trial: LeasedTrial) -> Submission:
        """Submit the constant answer."""
        return self.submission


@dataclass(frozen=True, slots=True)
class HumanAgent:
    """A person who connects a client to a trial's address and answers with the answer tool."""

    tell: Callable[[str], None]

    async def work(self, trial: LeasedTrial) -> Submission:
        """Print the trial's address, and wait until it is answered or its time is over."""
        minutes = trial.limits.minutes
        self.tell(
            f"\n{trial.trial} waits at {trial.mcp.url} for {minutes:.0f} minutes\n\n{trial.instruction.strip()}\n"
        )
        await asyncio.Event().wait()
        raise AssertionError("this event is never set")


class InformedAgent:
    """An agent that knows each trial's task; its calls block in threads, one for each trial."""

    def __init__(self, resources: AgentResources, jobs: int, part: Part) -> None:
        self._resources = resources
        self._part = part
        self._threads = ThreadPoolExecutor(jobs, thread_name_prefix="trial")
        self._dry_runs: dict[str, DryRun] = {}
        self._lock = threading.Lock()

    def look_up(self, tasks: Iterable[str]) -> None:
        """Check that these tasks are available with their solutions, before any trial is leased.

        Raises:
            TaskNotHere: A task is missing.
        """
        for name in tasks:
            self._task(name)

    async def work(self, trial: LeasedTrial) -> Submission:
        """Work on the trial in a thread, until it is done or the attempt is cancelled."""
        over = threading.Event()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._play, trial, over)
        finally:
            over.set()

    def _play(self, trial: LeasedTrial, over: threading.Event) -> Submission:
        control = self._resources.control
        try:
            known = control.send(Request("GET", f"/api/trials/{trial.trial}", TrialDetail.model_validate_json))
            with Tools(trial.mcp) as tools:
                return self._part(TrialPlayer(known, self._dry_run(known.task), tools, control, over))
        except GatewayUnavailable as error:
            return Submission("gave_up", error=str(error))
        except GatewayError as error:
            if error.status is not None and error.status not in UNAVAILABLE_STATUS:
                raise
            return Submission("gave_up", error=str(error))

    def _dry_run(self, name: str) -> DryRun:
        with self._lock:
            if name not in self._dry_runs:
                task = self._task(name)
                try:
                    self._dry_runs[name] = DryRun(task, self._resources.built, self._resources.own_worlds)
                except LookupError as error:
                    raise TaskUnavailable(str(error)) from error
            return self._dry_runs[name]

    def _task(self, name: str) -> Task:
        try:
            task, _ = read_task(task_folder(name, self._resources.tasks_dir))
        except (LookupError, SourceError) as error:
            raise TaskUnavailable(str(error)) from error
        if task.kept_back:
            raise TaskUnavailable(missing_solution_message(task))
        return task


def _only_read(player: TrialPlayer) -> Submission:
    """Make the oracle's reads that do not depend on its writes."""
    reads: list[OracleCall] = []
    for call in player.task.oracle:
        if _effect(call) == "read" and references(call) <= {each.as_ for each in reads}:
            reads.append(call)
    return player.play(Script("reads", tuple(reads), _LOOKED))


def _with_slips(player: TrialPlayer, share: float) -> Submission:
    """Play the oracle with slips: each action goes wrong with this probability, by the trial's seed."""
    whole, seed = oracle(player.task), f"{player.seed} {player.task.task}"
    chosen = slips(whole, {call.as_: _effect(call) for call in whole.calls}, share=share, seed=seed)
    script = with_slips(whole, chosen)
    swaps = player.dry_run.swaps()

    def make(call: OracleCall, arguments: Any) -> Any:
        if chosen.get(call.as_) == "made otherwise":
            arguments = altered(arguments, swaps, f"{seed} {call.as_}")
        return None if arguments is None else player.call(call, arguments)

    return player.play(script, make)


def _effect(call: OracleCall) -> Effect:
    return load_app(call.app).tools[call.tool].effect
