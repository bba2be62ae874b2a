"""A task without its solution, as packages contain it, can be run like any other, and commands that need its oracle report it."""

from __future__ import annotations

import shutil
from pathlib import Path

import orjson
import pytest

from soundstage.grading.published import published
from soundstage.runs.task_files import task_folder
from tests.conftest import run_here
from tests.runs.conftest import TOKEN, Stage

TADA = "studio/tada-for-dmitri"


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """A folder with one task of the test split in the form in which an installed package has it."""
    folder = tmp_path / "tasks" / TADA
    shutil.copytree(task_folder(TADA), folder)
    (folder / "task.yaml").write_text(published((folder / "task.yaml").read_text()))
    return tmp_path / "tasks"


def test_a_withheld_task_enters_a_run_by_its_lock_and_is_graded(stage: Stage, tasks: Path) -> None:
    runner = stage.begin(TADA, tasks_dir=str(tasks), faults=["off", "adversarial"])
    calls = orjson.loads((tasks / TADA / "task.lock").read_bytes())["oracle"]["calls"]
    for faults in ("off", "adversarial"):
        trial, agent = runner.take()
        if faults == "off":
            answer = agent.solve(TADA, stage.worlds)
        runner.submit(trial, answer)
    stage.until_done(runner, 2)
    by_faults = {line["faults"]: line for line in stage.results(runner)}
    assert {line["oracle_calls"] for line in by_faults.values()} == {calls}
    assert (by_faults["off"]["success"], by_faults["adversarial"]["success"]) == (True, False)
    figures = by_faults["off"]["figures"]
    assert (figures["ast"], figures["ast_dag"], figures["diversity"], figures["searches"]) == (None, None, None, [])


def test_agents_that_need_solutions_report_that_it_is_missing(stage: Stage, tasks: Path) -> None:
    environment = {"SOUNDSTAGE_URL": stage.url, "SOUNDSTAGE_TOKEN": TOKEN, "SOUNDSTAGE_DATA": str(stage.data)}
    runner = stage.begin(TADA, tasks_dir=str(tasks))
    for agent in ("oracle", "reads"):
        done = run_here(
            "runs", "drive", runner.run, "--agent", agent, "--tasks-dir", str(tasks), environment=environment
        )
        assert done.exit_code == 1
        assert f"{TADA} comes without its oracle: it is in the test split" in done.stderr
        assert stage.run(runner)["progress"]["queued"] == 1, "no trial was taken for it"
    refused = stage.api("POST", "/runs", json={"tasks": [TADA], "tasks_dir": str(tasks), "tools": "needed"})
    assert (refused.status_code, "comes without its oracle" in refused.json()["error"]) == (400, True)


def test_the_task_commands_report_the_missing_solution(tasks: Path, tmp_path: Path, worlds_folder: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "worlds").symlink_to(worlds_folder)
    here = ("--tasks-dir", str(tasks))
    (listed,) = orjson.loads(run_here("tasks", "list", *here, "--json").stdout)
    assert (listed["split"], listed["oracle_calls"]) == ("test", 2)
    data = ("--data", str(tmp_path / "data"))
    tried = run_here("tasks", "try", TADA, *here, *data)
    assert tried.exit_code == 1
    assert f"{TADA} comes without its oracle" in tried.stderr
    assert "score 0.000" in run_here("tasks", "try", TADA, "--script", "null", *here, *data).stdout
    lock = (tasks / TADA / "task.lock").read_bytes()
    proved = run_here("tasks", "lint", TADA, *here, *data)
    assert proved.exit_code == 0
    assert "green by its lock" in proved.stdout
    assert (tasks / TADA / "task.lock").read_bytes() == lock


def test_a_run_can_be_of_a_split(stage: Stage, tasks: Path) -> None:
    public = stage.run(stage.begin("public"))["tasks"]
    assert len(public) > 30
    assert "studio/errand" in public
    assert TADA not in public
    assert stage.run(stage.begin("test", tasks_dir=str(tasks)))["tasks"] == [TADA]
    refused = stage.api("POST", "/runs", json={"tasks": ["public"], "tasks_dir": str(tasks)})
    assert refused.status_code == 400
    assert "no task and no world with tasks named 'public'" in refused.json()["error"]
