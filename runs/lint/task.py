"""The lint of one task: play its oracle, derive runs from it, play and judge each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from soundstage.gateway.faults.schedule import parse
from soundstage.grading.evidence import Evidence
from soundstage.grading.lint.branches import branches
from soundstage.grading.lint.equivalents import equivalents
from soundstage.grading.lint.idle import idle_runs
from soundstage.grading.lint.mistakes import mistakes
from soundstage.grading.lint.mutant import Expected, ForgedRecord, Mutant
from soundstage.grading.lint.oracle_run import OracleRun
from soundstage.grading.lint.proofs import weakened
from soundstage.grading.lint.records import absent_paths, forged
from soundstage.grading.lint.static import static_findings, world_findings
from soundstage.grading.lint.wrong_texts import wrong_texts
from soundstage.grading.oracle import OracleError, oracle
from soundstage.grading.published import KEPT_BACK, published
from soundstage.grading.task import TASK_FILE, Task, read_task, task_of
from soundstage.grading.verdict import Verdict, bindings, grade, relevant_changes
from soundstage.runs.dry_run import DryRun, Trial, read_reply
from soundstage.runs.lint.experiments import Experiments, played_calls
from soundstage.runs.lint.report import Report, Result, digest, is_fresh, lock_of, read_lock
from soundstage.runs.lint.visible import invisible
from soundstage.runs.lint.world_index import WorldIndex
from soundstage.runs.sealed import task_digest
from soundstage.runs.task_files import CANARY, is_shipped, missing_solution_message
from soundstage.runs.trial_faults import faults_of
from soundstage.servers.catalogue import load_app
from soundstage.source import SourceError
from soundstage.source import parse as parse_source
from soundstage.worlds import UnknownWorld


def lint_task(folder: Path, built: Path, own_worlds: Path | None = None) -> Report:
    """Try a task's grader with all known ways to fool graders.

    A task that cannot be read, or whose world or names are missing, has that as its findings.
    """
    name = f"{folder.parent.name}/{folder.name}"
    try:
        task, _ = read_task(folder)
        dry_run = DryRun(task, built, own_worlds)
    except SourceError as error:
        return Report(name, (), tuple(str(m) for m in error.mistakes), {})
    except (UnknownWorld, LookupError) as error:
        return Report(name, (), (str(error),), {})
    if task.kept_back:
        return _by_lock(folder, name, task, dry_run.fingerprint)
    findings = static_findings(task, {app: frozenset(load_app(app).tools) for app in task.apps})
    if task.task != name:
        findings.append(f"task: {task.task!r} is in the folder {name!r}; the name must equal the folder")
    if task.twin is not None and not (folder.parent / task.twin / TASK_FILE).is_file():
        findings.append(f"twin: there is no task {task.twin!r} in {folder.parent.name}")
    if is_shipped(folder) and task.canary != CANARY:
        findings.append(f"canary: {task.canary!r} is not the canary of the shipped tasks, {CANARY}")
    findings += _not_kept_back(folder, task)
    world_index = WorldIndex(dry_run)
    findings += world_findings(task, frozenset(world_index.ids), world_index.people)
    if findings:  # static problems have to be fixed before anything is played
        return Report(name, (), tuple(findings), {})
    return _Lint(folder, task, dry_run, world_index).report()


def _by_lock(folder: Path, name: str, task: Task, fingerprint: str) -> Report:
    """Return the report of a task without its solution: the content of its lock, if it is of this task and world."""
    lock = read_lock(folder)
    if lock is None or not is_fresh(folder, fingerprint):
        return Report(
            name, (), (f"{missing_solution_message(task)}. But that is not of the task and its world as they are",), {}
        )
    return Report(name, (), (), lock, by_lock=True)


def _not_kept_back(folder: Path, task: Task) -> list[str]:
    """Return problems in a task's format that would leak its withheld solution into packages."""
    if task.split != "test":
        return []
    rest = {member: Task.model_fields[member].default for member in KEPT_BACK}
    wishes = tuple(wish.model_copy(update={"oracle": (), "oracle_answer": None}) for wish in task.wishes)
    text = published((folder / TASK_FILE).read_bytes().decode())
    try:
        left = task_of(parse_source(text, TASK_FILE))
    except SourceError as error:
        return [f"split: without {', '.join(KEPT_BACK)} the task cannot be read: {error}"]
    if left == task.model_copy(update={**rest, "wishes": wishes}):
        return []
    return [
        f"split: {', '.join(KEPT_BACK)} cannot be separated from the rest; begin a line with `split: test` and each of them, "
        f"and write the oracle of a mid-task request on separate lines"
    ]


class _Lint:
    """One task under test."""

    def __init__(self, folder: Path, task: Task, dry_run: DryRun, world_index: WorldIndex) -> None:
        self._folder, self._task = folder, task
        self._dry_run, self._world_index = dry_run, world_index
        self._accepted = {a.mutant for a in task.accepts}
        self._used: set[str] = set()

    def report(self) -> Report:
        task = self._task
        try:
            solved = self._dry_run.try_script(oracle(task))
            if solved.broke is not None:
                return Report(task.task, (), (f"oracle: could not be played: {solved.broke}",), {})
            oracle_run = self._scene(solved)
            if not solved.verdict.success:
                findings = [*_unsolved(solved), *self._invisible(oracle_run)]
                return Report(task.task, (), tuple(findings), {})
            results, wrong, right = self._played(oracle_run, solved)
        except OracleError as error:
            return Report(task.task, (), (str(error),), {})
        findings = [f"{r.operator}, {r.mutant}: {r.problem}" for r in results if r.problem is not None]
        findings += _refused(solved)
        if (notes := [r.note for r in results if r.operator == "retries"]) and all(notes):
            findings.append(f"retries: under faults no run came to its end: {notes[0]}")
        findings += absent_paths(oracle_run)
        findings += self._invisible(oracle_run)
        findings += self._unpinned(wrong)
        findings += self._untaken(right)
        findings += [f"accepts: there is no run {name!r}" for name in sorted(self._accepted - self._used)]
        if len(oracle_run.made) * 2 > task.limits.calls:
            findings.append(
                f"limits.calls: {task.limits.calls} is less than twice the oracle's {len(oracle_run.made)} calls"
            )
        lock = self._lock(solved, results) if not findings else {}
        return Report(task.task, tuple(results), tuple(findings), lock)

    def _scene(self, solved: Trial) -> OracleRun:
        made = played_calls(solved)
        experiments = Experiments(self._dry_run, made, self._world_index)
        return OracleRun(
            self._task.model_copy(update={"wishes": ()}),  # mid-task requests are delivered only with faults
            made,
            solved.evidence,
            bindings(self._task, solved.evidence),
            came_true={c.id: c.step for c in solved.verdict.checks if c.step is not None},
            mistaken=experiments.mistaken,
            others=experiments.others,
            refused=experiments.refused,
            undone=experiments.undone,
            reads=experiments.reads,
            writes=experiments.writes,
            besides=experiments.besides,
            elsewhere=experiments.elsewhere,
            known_texts=self._world_index.texts,
        )

    def _played(
        self, oracle_run: OracleRun, solved: Trial
    ) -> tuple[list[Result], list[tuple[Evidence, Verdict]], list[Evidence]]:
        """Return every result, the evidence and verdict of runs that should fail, and the evidence of those that should pass."""
        results: list[Result] = []
        right: list[Evidence] = [solved.evidence]
        alternatives = any(True for _ in branches(self._task))
        wrong: list[tuple[Evidence, Verdict]] = []
        solution = relevant_changes(self._task, solved.evidence)
        for mutant in _mutants(oracle_run):
            trial = self._play(mutant, len(oracle_run.made))
            same = (
                (mutant.operator == "detour" or (trial.verdict.success and _generated_wrong(mutant)))
                and (mutant.script.answer, mutant.script.outcome)
                == (self._task.oracle_answer, self._task.oracle_outcome)
                and relevant_changes(self._task, trial.evidence) == solution
            )
            if mutant.operator == "detour" and not same:
                continue  # the right call did not undo the wrong one
            result = self._result(mutant, trial, same)
            results.append(result)
            if mutant.expected != "success" and not result.same:
                wrong.append((trial.evidence, trial.verdict))
            elif alternatives and trial.verdict.success:
                right.append(trial.evidence)
        for record in forged(oracle_run, self._world_index.rows):
            verdict = grade(self._task, record.evidence)
            results.append(self._judged(record, verdict))
            if record.expected != "success":
                wrong.append((record.evidence, verdict))
        return results, wrong, right

    def _play(self, mutant: Mutant, calls: int) -> Trial:
        if mutant.faults is None:
            return self._dry_run.try_script(mutant.script, mutant.seed, durable=mutant.durable)
        names = self._dry_run.names.values()
        schedule = parse(faults_of(self._task, mutant.faults, names, calls, mutant.seed))
        granted = tuple(call for wish in self._task.wishes for call in wish.oracle)
        answers = [w.oracle_answer for w in self._task.wishes if w.oracle_answer is not None]
        answer = answers[-1] if answers else mutant.script.answer
        script = replace(mutant.script, calls=(*mutant.script.calls, *granted), answer=answer)
        return self._dry_run.try_script(script, mutant.seed, faults=schedule)

    def _result(self, mutant: Mutant, trial: Trial, same: bool) -> Result:
        note = trial.gave_up
        expected: Expected = "success" if same and mutant.expected == "caught" else mutant.expected
        problem = None if note is not None else _problem(mutant, expected, trial)
        return self._made(
            mutant.operator,
            mutant.name,
            mutant.expected,
            trial.verdict,
            problem,
            same and expected != mutant.expected,
            note,
        )

    def _judged(self, record: ForgedRecord, verdict: Verdict) -> Result:
        problem = _missed(record.expected, record.fails, verdict)
        return self._made(record.operator, record.name, record.expected, verdict, problem)

    def _made(
        self,
        operator: str,
        name: str,
        expected: str,
        verdict: Verdict,
        problem: str | None,
        same: bool = False,
        note: str | None = None,
    ) -> Result:
        accepted = problem is not None and self._accepts(name)
        problem = None if accepted else problem
        return Result(
            operator,
            name,
            expected,
            verdict.score,
            verdict.success,
            _failed(verdict),
            problem is None,
            problem,
            same,
            accepted,
            note,
        )

    def _accepts(self, name: str) -> bool:
        if name in self._accepted:
            self._used.add(name)
        return name in self._accepted

    def _invisible(self, oracle_run: OracleRun) -> list[str]:
        findings = invisible(oracle_run, self._dry_run, self._world_index)
        return [finding for name, finding in findings if not self._accepts(name)]

    def _untaken(self, right: list[Evidence]) -> Iterator[str]:
        """Yield alternatives that no solving run uses, so that nothing shows that they are possible and right."""
        for name, alone in branches(self._task):
            if not any(grade(alone, evidence).success for evidence in right) and not self._accepts(name):
                yield f"checks.{name}: no run that solves the task takes it; add one that does to `equivalents`, or leave it out"

    def _unpinned(self, wrong: list[tuple[Evidence, Verdict]]) -> Iterator[str]:
        """Yield conditions that no wrong run needs: without one of them everything is still caught."""
        for name, weaker in weakened(self._task):
            noticed = any(_kinder(grade(weaker, evidence), verdict) for evidence, verdict in wrong)
            if not noticed and not self._accepts(name):
                yield f"checks.{name}: no wrong run notices that it is gone; add a near miss that it catches"

    def _lock(self, solved: Trial, results: list[Result]) -> dict[str, Any]:
        rows = [[c.app, c.tool, c.arguments, c.reply, c.ok] for c in solved.evidence.calls]
        return lock_of(
            task=self._task.task,
            version=self._task.version,
            digest=digest(self._folder),
            published=task_digest(published((self._folder / TASK_FILE).read_bytes().decode()).encode()),
            fingerprint=self._dry_run.fingerprint,
            names={name: "/".join(key) for name, key in sorted(self._dry_run.names.items())},
            calls=len(solved.evidence.calls),
            oracle=hashlib.blake2b(orjson.dumps(rows), digest_size=16).hexdigest(),
            results=results,
        )


def _generated_wrong(mutant: Mutant) -> bool:
    """Whether a run is wrong by a generic rule that may not apply here; runs written by people are always meant."""
    return mutant.expected == "caught" and mutant.operator != "hand-written"


def _mutants(oracle_run: OracleRun) -> Iterator[Mutant]:
    yield from equivalents(oracle_run)
    yield from idle_runs(oracle_run)
    yield from mistakes(oracle_run)
    yield from wrong_texts(oracle_run)


def _refused(solved: Trial) -> Iterator[str]:
    """Yield calls of the oracle that failed without any effect on the verdict."""
    for label, step in zip(solved.labels, solved.evidence.calls, strict=True):
        if not step.ok:
            yield f"oracle.{label}: {step.app} refused it: {str(read_reply(step.reply))[:200]}"


def _unsolved(solved: Trial) -> Iterator[str]:
    for check in solved.verdict.checks:
        if not check.passed:
            yield f"oracle: does not pass checks.{check.id}: {check.why}"
    for breach in _breaches(solved.verdict):
        yield f"oracle: claimed by no check and no `may`: {breach}"


def _problem(mutant: Mutant, expected: Expected, trial: Trial) -> str | None:
    if trial.broke is not None and mutant.strict and mutant.faults is None:
        return f"could not be played: {trial.broke}"
    return _missed(expected, mutant.fails, trial.verdict)


def _missed(expected: Expected, fails: tuple[str, ...], verdict: Verdict) -> str | None:
    """Describe an unexpected result of a run; None if the result is as required."""
    failed = _failed(verdict)
    match expected:
        case "success" if not verdict.success:
            whys = [f"{c.id}: {c.why}" for c in verdict.checks if not c.passed]
            whys += [f"nothing asked for {breach}" for breach in _breaches(verdict)]
            return f"solves the task and scores {verdict.score:g} ({'; '.join(whys)})"
        case "nothing" if verdict.score > 0:
            return f"does nothing that was asked and scores {verdict.score:g}"
        case "no success" if verdict.success:
            return "succeeds"
        case "caught" if verdict.success:
            return "is wrong and passes"
        case "caught" if fails and not set(fails) <= set(failed):
            missed = [f for f in fails if f not in failed]
            return f"is to fail {', '.join(missed)}, and fails {', '.join(failed)}"
    return None


def _kinder(weaker: Verdict, verdict: Verdict) -> bool:
    """Whether a verdict is better than another: a higher score, or an additional passed check."""
    failed = {c.id for c in verdict.checks if not c.passed}
    return weaker.score > verdict.score + 1e-9 or any(c.passed and c.id in failed for c in weaker.checks)


def _breaches(verdict: Verdict) -> list[str]:
    return [f"{b.op} of {b.app} {b.entity} {b.id} {', '.join(b.fields)}".rstrip() for b in verdict.breaches]


def _failed(verdict: Verdict) -> tuple[str, ...]:
    return tuple(c.id for c in verdict.checks if not c.passed) + (("nothing_else",) if verdict.breaches else ())
