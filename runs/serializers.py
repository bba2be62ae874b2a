"""Convert runs, trials and tasks to the models of the control plane."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from soundstage.contexts.engine.clock import iso
from soundstage.gateway.addresses import Addresses
from soundstage.grading.task import Task
from soundstage.runs import models
from soundstage.runs.lint import LOCK_FILE, Report, is_fresh, oracle_calls
from soundstage.runs.store import Run, Tally, TrialRow
from soundstage.runs.task_files import cached_task, name_of
from soundstage.worlds import fingerprint, load_world

MOST_INFRA_SHARE = 0.02
"""A run with a larger share of trials lost to infrastructure says little about its agent."""


def run(of: Run, tally: Tally) -> models.RunShown:
    """Convert a run with its progress."""
    plan, trials, states = of.plan, tally.trials, tally.states
    state: models.RunState = "stopped" if of.stopped else "done" if states["done"] == trials else "open"
    return models.RunShown(
        id=of.id,
        created=iso(of.created_ms),
        state=state,
        complete=tally.graded == trials and tally.ended["infra"] / trials <= MOST_INFRA_SHARE,
        agent=plan.agent,
        tasks=list(tally.tasks),
        k=plan.k,
        seed=plan.seed,
        faults=plan.faults,
        variants=plan.variants,
        tools=str(plan.tools),
        progress=models.Progress(
            trials=trials,
            queued=states["queued"],
            open=states["opening"] + states["open"] + states["closing"],
            done=states["done"],
            ended=dict(tally.ended),
        ),
        success=tally.success,
        score=tally.score,
    )


def trial(of: TrialRow, at: Addresses) -> models.TrialShown:
    """Convert a trial without its submission."""
    return models.TrialShown(**_trial(of, at))


def trial_detail(of: TrialRow, at: Addresses) -> models.TrialDetail:
    """Convert a trial with its submission and verdict."""
    submitted = of.submission or {}
    return models.TrialDetail(
        **_trial(of, at),
        outcome=submitted.get("outcome"),
        answer=submitted.get("answer"),
        result=None if of.result is None else dict(of.result),
        verdict=None if of.verdict is None else dict(of.verdict),
    )


def _trial(of: TrialRow, at: Addresses) -> dict[str, Any]:
    return {
        "id": of.id,
        "run": of.run,
        "task": of.task,
        "k": of.k,
        "seed": of.seed,
        "faults": of.faults,
        "variant": of.variant,
        "state": of.state,
        "attempt": of.attempt,
        "infra": of.infra,
        "ended": of.ended,
        "session": of.session,
        "web_url": None if of.session is None else f"{at.base}/sessions/{of.session}",
        "started": None if of.started_ms is None else iso(of.started_ms),
        "finished": None if of.ended_ms is None else iso(of.ended_ms),
        "success": of.success,
        "score": of.score,
        "error": of.error,
    }


def task(folder: Path, own_worlds: Path) -> models.TaskShown:
    """Convert the task of a folder."""
    return models.TaskShown(**_task(folder, cached_task(folder)[0], own_worlds))


def task_detail(folder: Path, own_worlds: Path) -> models.TaskDetail:
    """Convert a task with its instruction and checks."""
    stored = cached_task(folder)[0]
    lock = folder / LOCK_FILE
    return models.TaskDetail(
        **_task(folder, stored, own_worlds),
        instruction=stored.instruction,
        variants=stored.variants,
        limits=models.LimitsShown(calls=stored.limits.calls, minutes=stored.limits.minutes),
        all_checks=[models.CheckShown(id=c.id, title=c.title, weight=c.weight) for c in stored.checks],
        lock=orjson.loads(lock.read_bytes()) if lock.exists() else None,
    )


def _task(folder: Path, of: Task, own_worlds: Path) -> dict[str, Any]:
    return {
        "task": name_of(folder),
        "version": of.version,
        "title": of.title,
        "kind": of.kind,
        "language": of.language,
        "world": of.world,
        "apps": list(of.apps),
        "tags": list(of.tags),
        "checks": len(of.checks),
        "split": of.split,
        "oracle_calls": oracle_calls(folder, of),
        "fresh": is_fresh(folder, fingerprint(load_world(of.world, own_worlds))),
    }


def lint(report: Report) -> models.LintShown:
    """Convert a lint report."""
    results = [
        models.LintResult(
            operator=r.operator,
            mutant=r.mutant,
            expected=r.expected,
            score=r.score,
            success=r.success,
            failed=list(r.failed),
            right=r.right,
            problem=r.problem,
        )
        for r in report.results
    ]
    return models.LintShown(
        task=report.task, green=report.green, findings=list(report.findings), by_lock=report.by_lock, results=results
    )
