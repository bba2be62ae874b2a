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
from soundstage.grading.noise import Effect, careless, otherwise, slips
from soundstage.grading.oracle import Script, oracle, references
from soundstage.grading.task import OracleCall, Task, read_task
from soundstage.runs.drive.scene import Scene
from soundstage.runs.drive.tools import AWAY, GatewayAway, Tools
from soundstage.runs.drive.work import Agent, Handed
from soundstage.runs.models import LeasedTrial, TrialDetail
from soundstage.runs.rehearsal import Rehearsal
from soundstage.runs.shelf import solution_missing, task_folder
from soundstage.servers.catalogue import load_app
from soundstage.source import SourceError

KNOWN = ("oracle", "null", "reads", "oracle-retry", "noisy:P", "refuser", "person")
_REFUSAL = "I'm sorry, I can't help with that. 抱歉，这件事我帮不了你。"
_LOOKED = "I have looked at everything."

Part = Callable[[Scene], Handed]
"""The actions of an agent that knows a trial's task."""


class NoSuchAgent(ValueError):
    """There is no built-in agent of this name; the message lists the known ones."""


class TaskNotHere(LookupError):
    """A trial's task, its solution or its world is missing on this machine or unreadable; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Backstage:
    """The resources of built-in agents: the control plane, the folders of tasks, built worlds and own worlds, and an output."""

    control: Control
    tasks_dir: Path | None
    built: Path
    own_worlds: Path
    tell: Callable[[str], None]


def builtin(name: str, backstage: Backstage, *, jobs: int) -> Agent:
    """Return the agent of this name for `jobs` concurrent trials.

    Raises:
        NoSuchAgent: There is none.
    """
    match name.partition(":"):
        case "null", "", _:
            return Fixed(Handed("gave_up"))
        case "refuser", "", _:
            return Fixed(Handed("declined", _REFUSAL))
        case "person", "", _:
            return Person(backstage.tell)
        case "oracle", "", _:
            return Knowing(backstage, jobs, lambda scene: scene.play(oracle(scene.task)))
        case "oracle-retry", "", _:
            return Knowing(backstage, jobs, lambda scene: scene.play(oracle(scene.task), scene.call_until_done))
        case "reads", "", _:
            return Knowing(backstage, jobs, _only_read)
        case "noisy", ":", share if _is_share(share):
            return Knowing(backstage, jobs, lambda scene: _be_careless(scene, float(share)))
    raise NoSuchAgent(f"no agent {name!r} comes along; known: {', '.join(KNOWN)} (P from 0 to 1, such as noisy:0.2)")


def is_builtin(name: str) -> bool:
    """Whether a name refers to a built-in agent, even if misspelt."""
    return name.partition(":")[0] in {known.partition(":")[0] for known in KNOWN}


def _is_share(text: str) -> bool:
    return re.fullmatch(r"\d*\.?\d+", text) is not None and 0 <= float(text) <= 1


@dataclass(frozen=True, slots=True)
class Fixed:
    """An agent with one constant answer and no calls."""

    handed: Handed

    async def work(self, trial: LeasedTrial) -> Handed:
        return self.handed


@dataclass(frozen=True, slots=True)
class Person:
    """A person who connects a client to a trial's address, and answers with the tool for it."""

    tell: Callable[[str], None]

    async def work(self, trial: LeasedTrial) -> Handed:
        """Print the trial's address, and hold the trial until it is answered or its time is over."""
        minutes = trial.limits.minutes
        self.tell(
            f"\n{trial.trial} waits at {trial.mcp.url} for {minutes:.0f} minutes\n\n{trial.instruction.strip()}\n"
        )
        await asyncio.Event().wait()
        raise AssertionError("nobody sets this event")


class Knowing:
    """An agent that knows each trial's task; its calls block in threads, one for each trial."""

    def __init__(self, backstage: Backstage, jobs: int, part: Part) -> None:
        self._backstage = backstage
        self._part = part
        self._threads = ThreadPoolExecutor(jobs, thread_name_prefix="trial")
        self._rehearsals: dict[str, Rehearsal] = {}
        self._lock = threading.Lock()

    def look_up(self, tasks: Iterable[str]) -> None:
        """Check that these tasks are available with their solutions, before any trial is leased.

        Raises:
            TaskNotHere: A task is missing.
        """
        for name in tasks:
            self._task(name)

    async def work(self, trial: LeasedTrial) -> Handed:
        over = threading.Event()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._play, trial, over)
        finally:
            over.set()

    def _play(self, trial: LeasedTrial, over: threading.Event) -> Handed:
        control = self._backstage.control
        try:
            known = control.send(Request("GET", f"/api/trials/{trial.trial}", TrialDetail.model_validate_json))
            with Tools(trial.mcp) as tools:
                return self._part(Scene(known, self._rehearsal(known.task), tools, control, over))
        except GatewayAway as error:
            return Handed("gave_up", error=str(error))
        except GatewayError as error:
            if error.status is not None and error.status not in AWAY:
                raise
            return Handed("gave_up", error=str(error))

    def _rehearsal(self, name: str) -> Rehearsal:
        with self._lock:
            if name not in self._rehearsals:
                task = self._task(name)
                try:
                    self._rehearsals[name] = Rehearsal(task, self._backstage.built, self._backstage.own_worlds)
                except LookupError as error:
                    raise TaskNotHere(str(error)) from error
            return self._rehearsals[name]

    def _task(self, name: str) -> Task:
        try:
            task, _ = read_task(task_folder(name, self._backstage.tasks_dir))
        except (LookupError, SourceError) as error:
            raise TaskNotHere(str(error)) from error
        if task.kept_back:
            raise TaskNotHere(solution_missing(task))
        return task


def _only_read(scene: Scene) -> Handed:
    """Make the oracle's reads that do not depend on its writes."""
    kept: list[OracleCall] = []
    for call in scene.task.oracle:
        if _effect(call) == "read" and references(call) <= {each.as_ for each in kept}:
            kept.append(call)
    return scene.play(Script("reads", tuple(kept), _LOOKED))


def _be_careless(scene: Scene, share: float) -> Handed:
    """Play the oracle with slips: each action goes wrong with this probability, by the trial's seed."""
    whole, seed = oracle(scene.task), f"{scene.seed} {scene.task.task}"
    found = slips(whole, {call.as_: _effect(call) for call in whole.calls}, share=share, seed=seed)
    script = careless(whole, found)
    swaps = scene.rehearsal.swaps()

    def make(call: OracleCall, arguments: Any) -> Any:
        if found.get(call.as_) == "made otherwise":
            arguments = otherwise(arguments, swaps, f"{seed} {call.as_}")
        return None if arguments is None else scene.call(call, arguments)

    return scene.play(script, make)


def _effect(call: OracleCall) -> Effect:
    return load_app(call.app).tools[call.tool].effect
