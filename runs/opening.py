"""Derive a trial's session: its user, time, tools, faults and limits."""

from __future__ import annotations

from collections.abc import Collection
from random import Random

from soundstage.contexts.engine.clock import parse_moment, to_ms
from soundstage.contexts.engine.ids import keyed_digest
from soundstage.gateway.calls.toolset import shared_toolset
from soundstage.gateway.faults.schedule import OFF
from soundstage.gateway.registry.records import Bounds
from soundstage.gateway.sessions.clock_rules import ClockChange
from soundstage.gateway.sessions.problems import BadRequest
from soundstage.gateway.sessions.seats import owned_apps
from soundstage.gateway.sessions.sessions import NewSession
from soundstage.gateway.settings import Settings, ToolList
from soundstage.grading.task import Task
from soundstage.runs.models import LimitsShown, RunBody
from soundstage.runs.store import Run, RunTask, TrialRow
from soundstage.runs.task_files import task_from_text
from soundstage.runs.trial_faults import faults_of
from soundstage.servers.catalogue import app_names
from soundstage.worlds import built, fingerprint, load_world, own_folder

DEFAULT_VARIANT = "default"


def instruction(task: Task, variant: str) -> str:
    """Return the instruction for the agent."""
    return task.instruction if variant == DEFAULT_VARIANT else task.variants[variant]


def limits_of(task: Task, plan: RunBody) -> LimitsShown:
    """Return the limits of a trial."""
    wanted = plan.limits
    calls = task.limits.calls if wanted is None or wanted.calls is None else wanted.calls
    minutes = task.limits.minutes if wanted is None or wanted.minutes is None else wanted.minutes
    return LimitsShown(calls=calls, minutes=minutes)


def session_of(
    run: Run, taken: RunTask, trial: TrialRow, settings: Settings, upstreams: Collection[str], *, now_ms: int
) -> NewSession:
    """Return the parameters of a trial's new session; `upstreams` are those of this gateway.

    Raises:
        BadRequest: The world has changed, or an upstream of the task is missing.
    """
    task, plan = task_from_text(taken.source, taken.task), run.plan
    check_upstreams(task, upstreams)
    if fingerprint(load_world(task.world, own_folder(settings.worlds))) != taken.fingerprint:
        raise BadRequest(
            f"the world {task.world} has changed since the run {run.id} began, so its trials would not be alike; start a new run"
        )
    limits = limits_of(task, plan)
    apps, listing, shown = shown_tools(task, plan, trial.seed, settings)
    clock = task.clock
    return NewSession(
        world=task.world,
        user=task.user,
        apps=apps,
        seed=trial.seed,
        clock=ClockChange(clock.mode, None if clock.at is None else to_ms(parse_moment(clock.at)), clock.tick_ms),
        durability=plan.durability,
        faults=schedule_of(trial.faults, taken, trial.seed, task),
        tools=listing,
        upstreams=task.distractors.upstreams,
        bounds=Bounds(
            limits.calls,
            now_ms + int(limits.minutes * 60_000),
            errand=instruction(task, trial.variant) if plan.answer_tool else None,
        ),
        shown=shown,
        additions=task.distractors.state,
    )


def check_upstreams(task: Task, upstreams: Collection[str]) -> None:
    """Check that the real servers among a task's distractors are available.

    Raises:
        BadRequest: A server is missing; the message names it.
    """
    for name in task.distractors.upstreams:
        if name not in upstreams:
            known = ", ".join(sorted(upstreams)) or "none"
            raise BadRequest(
                f"distractors.upstreams: {task.task}: this gateway has no upstream {name!r}; it has: {known}"
            )


def schedule_of(name: str, taken: RunTask, seed: int, task: Task) -> object:
    """Return a preset's schedule for this task, or none."""
    if name == OFF:
        return OFF
    names = [(app, entity, key) for app, entity, key in taken.names.values()]
    return faults_of(task, name, names, taken.oracle_calls, seed)


def shown_tools(
    task: Task, plan: RunBody, seed: int, settings: Settings
) -> tuple[tuple[str, ...], ToolList, tuple[str, ...] | None]:
    """Return a session's apps, its tool list, and the available tools (None means all).

    Raises:
        BadRequest: The tools depend on a withheld oracle, or a tool does not exist in the apps of the session's user.
    """
    wanted = task.tools if plan.tools == "task" else plan.tools
    further = task.distractors.tools
    listing: ToolList = "search" if wanted == "search" else "all"
    if wanted in ("all", "search") and not further:
        return task.apps, listing, None
    world = load_world(task.world, own_folder(settings.worlds))
    image = built(world, settings.built or settings.worlds)
    owned = owned_apps(image, task.user, app_names(), chosen=False)
    every = shared_toolset(tuple(sorted({*owned, *task.apps}))).targets  # a task may use apps without accounts
    random = Random(keyed_digest(seed, "tools", 0))  # noqa: S311 seeded on purpose
    shown = list(shared_toolset(task.apps).targets)
    if wanted not in ("all", "search"):
        required = {tuple(name.split("/", 1)) for name in task.requires.tools}
        if not task.oracle and not required:
            raise BadRequest(
                f"tools: {task.task} comes without its oracle, which says what is needed; ask for all or search"
            )
        called = {(call.app, call.tool) for call in task.oracle} | required
        if isinstance(wanted, int):
            needed = [name for name in shown if (every[name].app.name, every[name].tool) in called]
            # Other tools of the task's own apps come first, because they are likelier mistakes.
            others = [random.sample(names, len(names)) for names in (shown, list(every))]
            shown = list(dict.fromkeys([*needed, *others[0], *others[1]]))[: max(wanted, len(needed))]
        else:
            shown = [name for name in shown if every[name].app.name in {app for app, _ in called}]
    if isinstance(further, int):
        beside = [name for name in every if name not in shown]
        further = tuple(random.sample(beside, min(further, len(beside))))
    if unknown := [name for name in further if name not in every]:
        raise BadRequest(f"distractors.tools: {task.task}: no app of {task.user} has a tool {unknown[0]!r}")
    shown += further
    apps = {*task.apps, *(every[name].app.name for name in shown)}
    return tuple(sorted(apps)), listing, tuple(sorted(set(shown)))
