"""Every shipped task can be solved, and cannot be solved by doing nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from soundstage.grading.oracle import Script, oracle
from soundstage.grading.task import read_task
from soundstage.runs.dry_run import DryRun
from soundstage.runs.lint import is_fresh, lint_task
from soundstage.runs.task_files import name_of, task_folders

FOLDERS = [pytest.param(folder, id=name_of(folder)) for folder in task_folders()]


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_oracle_solves_the_task_and_doing_nothing_does_not(folder: Path, worlds_folder: Path) -> None:
    task, _ = read_task(folder)
    dry_run = DryRun(task, worlds_folder)
    solved = dry_run.try_script(oracle(task))
    assert solved.broke is None
    assert solved.verdict.success, solved.verdict
    assert dry_run.try_script(Script("null", (), "", "gave_up")).verdict.score == 0
    assert is_fresh(folder, dry_run.fingerprint), "run `soundstage tasks lint --all`: the task or its world has changed"


@pytest.mark.long
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_grader_passes_the_lint(folder: Path, worlds_folder: Path) -> None:
    assert lint_task(folder, worlds_folder).findings == ()
