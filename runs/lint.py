"""Proving a task's grader by execution: every run of `soundstage.grading.lint` is played in a session of its own and graded.

A green report is written beside the task as `task.lock`; without a fresh one a task is not to be used.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from soundstage.grading import lint
from soundstage.grading.lint import Mutant
from soundstage.grading.oracle import OracleError, oracle
from soundstage.grading.task import TASK_FILE, Task, all_checks, read_task
from soundstage.grading.texts.plain import plain, says
from soundstage.grading.verdict import grade
from soundstage.runs.rehearsal import Rehearsal, Trial
from soundstage.servers.catalogue import load_app
from soundstage.source import SourceError
from soundstage.worlds import UnknownWorld

LOCK_FILE = "task.lock"
_BREAKING = (
    "drop",
    "wrong time",
    "wrong person",
    "wrong place",
)  # runs that may end early: what a later call needs may be gone


@dataclass(frozen=True, slots=True)
class Result:
    """One run of the lint: what it had to come to, what it came to, and whether that is right."""

    operator: str
    mutant: str
    expected: str
    score: float
    success: bool
    failed: tuple[str, ...]
    right: bool
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """All that the lint found out about a task. `findings` are in words; without any the task is green."""

    task: str
    results: tuple[Result, ...]
    findings: tuple[str, ...]
    lock: dict[str, Any]

    @property
    def green(self) -> bool:
        return not self.findings


def lint_task(folder: Path, built: Path, own_worlds: Path | None = None) -> Report:
    """Try a task's grader with everything that is known to fool graders.

    A task that cannot be read, or whose world or names are not there, has that as its findings.
    """
    name = f"{folder.parent.name}/{folder.name}"
    try:
        task, _ = read_task(folder)
        rehearsal = Rehearsal(task, built, own_worlds)
    except SourceError as error:
        return Report(name, (), tuple(str(m) for m in error.mistakes), {})
    except (UnknownWorld, LookupError) as error:
        return Report(name, (), (str(error),), {})
    findings = lint.static_findings(task, {app: frozenset(load_app(app).tools) for app in task.apps})
    if task.task != name:
        findings.append(f"task: {task.task!r} lies in {name!r}; its name is that of its folder")
    if findings:  # what is wrong as it stands is mended before anything is played
        return Report(name, (), tuple(findings), {})
    trials: list[tuple[Mutant, Trial]] = []
    results: list[Result] = []
    accepted = {a.mutant for a in task.accepts}
    try:
        solved = rehearsal.try_script(oracle(task))
        done = [lint.Made(f"{c.app}/{c.tool}", c.arguments or {}) for c in solved.evidence.calls]
        mistaken = lint.mistaken(task, done, _effect, rehearsal.swaps())
        for mutant in (*lint.mutants(task, _effect), *mistaken):
            trial = rehearsal.try_script(mutant.script, seed=mutant.seed)
            trials.append((mutant, trial))
            results.append(_result(mutant, trial, accepted))
    except OracleError as error:
        findings.append(str(error))
    findings += [f"{r.operator}, {r.mutant}: {r.problem}" for r in results if r.problem is not None]
    made = {r.mutant for r in results}
    findings += [f"accepts: there is no run {a.mutant!r}" for a in task.accepts if a.mutant not in made]
    findings += _invisible(task, rehearsal)
    findings += _unpinned(task, trials)
    lock = _lock(folder, task, rehearsal, trials, results) if not findings else {}
    return Report(task.task, tuple(results), tuple(findings), lock)


def write_lock(folder: Path, report: Report) -> None:
    """Keep a green report beside its task."""
    (folder / LOCK_FILE).write_bytes(orjson.dumps(report.lock, option=orjson.OPT_INDENT_2) + b"\n")


def is_fresh(folder: Path, fingerprint: str) -> bool:
    """Whether a task's lock is there and green, of this very task and of this world."""
    try:
        lock: Any = orjson.loads((folder / LOCK_FILE).read_bytes())
    except (FileNotFoundError, orjson.JSONDecodeError):
        return False
    if not isinstance(lock, dict) or lock.get("green") is not True:
        return False
    return bool(lock.get("task_digest") == digest(folder) and lock.get("world_fingerprint") == fingerprint)


def digest(folder: Path) -> str:
    """A hash of the task as it is written."""
    return hashlib.blake2b((folder / TASK_FILE).read_bytes(), digest_size=16).hexdigest()


@cache
def _effect(app: str, tool: str) -> str:
    known = load_app(app).tools.get(tool)
    return "other" if known is None else known.effect


def _result(mutant: Mutant, trial: Trial, accepted: set[str]) -> Result:
    verdict = trial.verdict
    failed = tuple(c.id for c in verdict.checks if not c.passed) + (("nothing_else",) if verdict.breaches else ())
    problem = None if mutant.script.name in accepted else _problem(mutant, trial, failed)
    return Result(
        mutant.operator,
        mutant.script.name,
        mutant.expected,
        verdict.score,
        verdict.success,
        failed,
        problem is None,
        problem,
    )


def _problem(mutant: Mutant, trial: Trial, failed: tuple[str, ...]) -> str | None:
    verdict = trial.verdict
    if trial.broke is not None and mutant.operator not in _BREAKING:
        return f"could not be played: {trial.broke}"
    match mutant.expected:
        case "success" if not verdict.success:
            whys = [f"{c.id}: {c.why}" for c in verdict.checks if not c.passed]
            whys += [
                f"nothing asked for {b.op} of {b.app} {b.entity} {b.id} {', '.join(b.fields)}" for b in verdict.breaches
            ]
            return f"solves the task and scores {verdict.score:g} ({'; '.join(whys)})"
        case "nothing" if verdict.score > 0:
            return f"does nothing that was asked and scores {verdict.score:g}"
        case "caught" if verdict.success:
            return "is wrong and passes"
        case "caught" if mutant.fails and not set(mutant.fails) <= set(failed):
            missed = [f for f in mutant.fails if f not in failed]
            return f"is to fail {', '.join(missed)}, and fails {', '.join(failed)}"
    return None


def _invisible(task: Task, rehearsal: Rehearsal) -> list[str]:
    """Values that checks demand and nobody could know: neither the instruction, nor the world, nor a schema has them."""
    schemas = [tool.input_schema for app in task.apps for tool in load_app(app).tools.values()]
    seen = plain(
        " ".join([task.instruction, *task.variants.values(), rehearsal.start_text(), orjson.dumps(schemas).decode()])
    )
    found: list[str] = []
    for check in all_checks(task):
        for matcher in lint.matchers_of(check):
            for phrases in lint.literals(matcher):
                if not any(says(seen, p) or lint.says_number(seen, plain(p)) for p in phrases):
                    told = " or ".join(map(repr, phrases))
                    found.append(f"checks.{check.id}: nothing that an agent can see says {told}")
    return found


def _unpinned(task: Task, trials: list[tuple[Mutant, Trial]]) -> list[str]:
    """Conditions that no wrong run needs: with one of them gone, everything that was caught is caught still."""
    wrong = [t for m, t in trials if m.expected != "success"]
    found: list[str] = []
    for name, weaker in lint.weakened(task):
        if not any(grade(weaker, t.evidence).score > t.verdict.score + 1e-9 for t in wrong):
            found.append(f"checks.{name}: no wrong run notices that it is gone; add a near miss that it catches")
    return found


def _lock(
    folder: Path, task: Task, rehearsal: Rehearsal, trials: list[tuple[Mutant, Trial]], results: list[Result]
) -> dict[str, Any]:
    solved = next(t for m, t in trials if m.operator == "oracle")
    return {
        "task": task.task,
        "version": task.version,
        "task_digest": digest(folder),
        "world_fingerprint": rehearsal.fingerprint,
        "names": {name: "/".join(key) for name, key in sorted(rehearsal.names.items())},
        "oracle": {"calls": len(solved.evidence.calls), "digest": _digest_of(solved)},
        "mutants": len(results),
        "accepted": len(task.accepts),
        "operators": dict(sorted(Counter(r.operator for r in results).items())),
        "green": True,
    }


def _digest_of(trial: Trial) -> str:
    rows = [[c.app, c.tool, c.arguments, c.reply, c.ok] for c in trial.evidence.calls]
    return hashlib.blake2b(orjson.dumps(rows), digest_size=16).hexdigest()
