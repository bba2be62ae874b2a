"""`soundstage tasks`: list, show, try and lint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result

from tests.conftest import run_here

EXAMPLE = "studio/move-the-dry-run"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, worlds_folder: Path) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "worlds").symlink_to(worlds_folder)
    return folder


def _tasks(*arguments: str) -> Result:
    return run_here("tasks", *arguments)


def test_tasks_are_listed_and_shown() -> None:
    listed = json.loads(_tasks("list", "--json").stdout)
    assert EXAMPLE in [t["task"] for t in listed]
    shown = json.loads(_tasks("show", EXAMPLE, "--json").stdout)
    assert [c["id"] for c in shown["checks"]] == ["moved", "told", "ticked", "closed", "answered"]
    assert "oracle" not in shown


def test_a_task_is_tried_with_its_oracle_and_with_a_wrong_run(data: Path) -> None:
    solved = _tasks("try", EXAMPLE, "--data", str(data))
    assert "score 1.000, success, 13 calls" in solved.stdout
    hedged = json.loads(_tasks("try", EXAMPLE, "--script", "hedge", "--data", str(data), "--json").stdout)
    assert (hedged["score"], hedged["success"]) == (0.75, False)
    assert [c["id"] for c in hedged["checks"] if not c["passed"]] == ["told"]


def test_mistakes_are_reported(data: Path, tmp_path: Path) -> None:
    for arguments, message in (
        (["show", "studio/no-such-task"], "there is no task 'studio/no-such-task'"),
        (["try", EXAMPLE, "--script", "genius", "--data", str(data)], "known: oracle, null"),
        (["lint"], "name the tasks to look at, or give --all"),
    ):
        done = _tasks(*arguments)
        assert done.exit_code == 1
        assert message in done.stderr


def test_tasks_in_any_folder_are_linted_and_a_failure_exits_with_1(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "own" / "broken"
    folder.mkdir(parents=True)
    (folder / "task.yaml").write_text("task: own/broken\n")
    done = _tasks("lint", str(folder), "--data", str(data))
    assert done.exit_code == 1
    assert "own/broken: red" in done.stdout
    assert "task.yaml:1 title: is missing" in done.stdout
    assert not (folder / "task.lock").exists()
