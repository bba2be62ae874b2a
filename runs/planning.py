"""Plan a run: its tasks in their present form, and a trial for each task, number, variant and fault setting."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Collection
from pathlib import Path
from typing import get_args

from soundstage.contexts.engine.clock import wall_ms
from soundstage.contexts.engine.ids import keyed_digest
from soundstage.gateway.faults.schedule import OFF, preset_names
from soundstage.gateway.sessions.problems import BadRequest
from soundstage.gateway.settings import Settings
from soundstage.grading.task import TASK_FILE, Split, read_task
from soundstage.runs.dry_run import DryRun
from soundstage.runs.lint import LOCK_FILE, digest, is_fresh, oracle_calls
from soundstage.runs.models import RunBody
from soundstage.runs.opening import DEFAULT_VARIANT, check_upstreams, shown_tools
from soundstage.runs.store import Run, RunTask, TrialRow
from soundstage.runs.task_files import cached_task, name_of, task_folders
from soundstage.source import SourceError
from soundstage.worlds import UnknownWorld, fingerprint, load_world, own_folder

EVERY = "all"


def planned(plan: RunBody, settings: Settings, upstreams: Collection[str]) -> tuple[Run, list[RunTask], list[TrialRow]]:
    """Plan a new run on a gateway with these upstreams; missing worlds are built, which takes a while.

    Raises:
        BadRequest: A task, variant, preset or upstream does not exist, or a task has no fresh green lock.
    """
    unknown = [name for name in plan.faults if name != OFF and name not in preset_names()]
    if unknown:
        raise BadRequest(f"faults: there is no preset {unknown[0]!r}; known: {', '.join(preset_names())}, {OFF}")
    for member, given in (("faults", plan.faults), ("variants", plan.variants)):
        if twice := next((g for g in given if given.count(g) > 1), None):
            raise BadRequest(f"{member}: {twice!r} is given twice")
    run_id = f"r_{secrets.token_hex(6)}"
    tasks = [_taken(run_id, folder, plan, settings, upstreams) for folder in _chosen(plan)]
    trials = [
        TrialRow(
            f"tr_{secrets.token_hex(8)}", run_id, i, task.task, k, seed_of(plan.seed, task.task, k), variant, faults
        )
        for i, (k, task, variant, faults) in enumerate(
            itertools.product(range(1, plan.k + 1), tasks, plan.variants, plan.faults)
        )
    ]
    return Run(run_id, wall_ms(), plan), tasks, trials


def seed_of(run_seed: int, task: str, k: int) -> int:
    """Return the seed of a task's `k`-th trial: the same for every agent, with or without faults."""
    return int.from_bytes(keyed_digest(run_seed, f"trial.{task}", k)[:8], "big") >> 1


def _chosen(plan: RunBody) -> list[Path]:
    """Return the folders of the tasks that a run names, without duplicates."""
    folder = None if plan.tasks_dir is None else Path(plan.tasks_dir)
    if folder is not None and ("\0" in str(folder) or not folder.is_dir()):
        raise BadRequest(f"tasks_dir: {plan.tasks_dir!r:.200} is not a folder on the gateway's machine")
    known = {name_of(task_path): task_path for task_path in task_folders(folder)}
    chosen: dict[str, Path] = {}
    for wanted in plan.tasks:
        fitting = {n: f for n, f in known.items() if wanted in (EVERY, n, n.partition("/")[0]) or _is_of(f, wanted)}
        if not fitting:
            names = ", ".join(known) or "none"
            raise BadRequest(f"tasks: there is no task and no world with tasks named {wanted!r}; known tasks: {names}")
        chosen |= fitting
    return list(chosen.values())


def _is_of(folder: Path, split: str) -> bool:
    if split not in get_args(Split):
        return False
    try:
        return cached_task(folder)[0].split == split
    except SourceError as error:
        raise BadRequest(f"tasks: {name_of(folder)}: {error}") from None


def _taken(run_id: str, folder: Path, plan: RunBody, settings: Settings, upstreams: Collection[str]) -> RunTask:
    """Return a task in its present form if it may be used."""
    name = name_of(folder)
    own = own_folder(settings.worlds)
    try:
        task, _ = read_task(folder)
        world = load_world(task.world, own)
    except (SourceError, UnknownWorld) as error:
        raise BadRequest(f"tasks: {name}: {error}") from None
    if not is_fresh(folder, fingerprint(world)):
        raise BadRequest(
            f"tasks: {name} has no {LOCK_FILE} that proves its grader, as the task and its world are now; "
            f"soundstage tasks lint {name} makes one where the task is green"
        )
    variants = [DEFAULT_VARIANT, *task.variants]
    missing = [variant for variant in plan.variants if variant not in variants]
    if missing:
        raise BadRequest(f"variants: {name} has no variant {missing[0]!r}; it has: {', '.join(variants)}")
    check_upstreams(task, upstreams)
    shown_tools(task, plan, plan.seed, settings)  # raises if the tools cannot be listed
    dry_run = DryRun(task, settings.built or settings.worlds, own)
    return RunTask(
        run=run_id,
        task=name,
        alias=f"t_{secrets.token_hex(4)}",
        source=(folder / TASK_FILE).read_text("utf-8"),
        digest=digest(folder),
        fingerprint=dry_run.fingerprint,
        zone=dry_run.zone.key,
        oracle_calls=oracle_calls(folder, task),
        names={name: list(key) for name, key in dry_run.names.items()},
        people={person: {app: sorted(ids) for app, ids in known.items()} for person, known in dry_run.people.items()},
    )
