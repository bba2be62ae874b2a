"""Grade a bundle again, and report the changes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import orjson
from typing_extensions import TypedDict

from soundstage.grading.task import TASK_FILE, Task
from soundstage.grading.verdict import grade
from soundstage.runs.bundle import Bundle, InvalidBundle, Regraded
from soundstage.runs.results import GRADER
from soundstage.runs.sealed import canonical, evidence_of
from soundstage.runs.signing import verdict_data
from soundstage.runs.task_files import task_folder, task_from_text


def regrade(bundle: Bundle, fresh: dict[str, bytes] | None = None) -> list[Regraded]:
    """Return new verdicts of each trial, by the tasks in the bundle or by `fresh` ones (bytes of task.yaml by name).

    It uses no clock, network or world.

    Raises:
        InvalidBundle: A task is in neither source, or requires data that the trial does not contain.
        SourceError: A task cannot be read.
    """
    texts = bundle.tasks if fresh is None else fresh
    tasks: dict[str, Task] = {}
    result: list[Regraded] = []
    for trial, sealed in bundle.trials.items():
        name = sealed.header.task
        if name not in texts:
            reason = (
                "the bundle has no tasks (they were held out)" if fresh is None and bundle.manifest["held_out"] else ""
            )
            raise InvalidBundle(
                f"there is no task {name} to grade {trial} by{': ' + reason if reason else ''}; give --tasks-dir"
            )
        task = tasks[name] = tasks.get(name) or task_from_text(texts[name], name)
        missing = sorted({*task.names} - sealed.names.keys())
        if missing:
            raise InvalidBundle(f"{name} names {', '.join(missing)}, which {trial} was sealed without")
        verdict = grade(task, evidence_of(sealed, task))
        result.append(Regraded(trial=trial, grader=GRADER, verdict=orjson.loads(orjson.dumps(verdict_data(verdict)))))
    return result


def texts_of(bundle: Bundle, tasks_dir: Path | None = None) -> dict[str, bytes]:
    """Return the texts of a bundle's tasks on disk: the shipped ones, or those of `tasks_dir`.

    Raises:
        UnknownTask: A task does not exist; the message lists the known ones.
    """
    names = dict.fromkeys(sealed.header.task for sealed in bundle.trials.values())
    return {name: (task_folder(name, tasks_dir) / TASK_FILE).read_bytes() for name in names}


class VerdictChange(TypedDict):
    """A trial whose verdict has changed: score and success before and after, and the changed checks."""

    trial: str
    task: str
    before: float
    after: float
    success_before: bool
    success_after: bool
    checks: list[str]
    breaches: int


def verdict_changes(bundle: Bundle, verdicts: Sequence[Regraded]) -> list[VerdictChange]:
    """Return the differences between new verdicts and the sealed ones."""
    sealed = {v["trial"]: v["verdict"] for v in bundle.verdicts}
    result: list[VerdictChange] = []
    for now in verdicts:
        then, new = sealed[now["trial"]], now["verdict"]
        if canonical(then) == canonical(new):
            continue
        before, after = ({c["id"]: c for c in v["checks"]} for v in (then, new))
        result.append(
            VerdictChange(
                trial=now["trial"],
                task=bundle.trials[now["trial"]].header.task,
                before=then["score"],
                after=new["score"],
                success_before=then["success"],
                success_after=new["success"],
                checks=[i for i in {**before, **after} if before.get(i) != after.get(i)],
                breaches=len(new["breaches"]) - len(then["breaches"]),
            )
        )
    return result
