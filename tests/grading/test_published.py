"""What leaves the repository of a task: the public ones whole, those of the test split without what tells how they are solved."""

from __future__ import annotations

from pathlib import Path

import pytest

from soundstage.grading.published import KEPT_BACK, published
from soundstage.grading.task import TASK_FILE, Task, read_task
from soundstage.runs.lint import lint_task
from soundstage.runs.task_files import CANARY, task_folder, task_folders
from tests.conftest import REPOSITORY

WRITTEN = """\
# Seen by whoever reads it.
task: own/water-the-plants
split: {split}   # which is decided by hand
instruction: |
  Water the plants.

  oracle: it is not you.

# the basil needs most
oracle:
- {{as: water, call: lark/task_create}}

# no hint for a reader
- {{as: again, call: lark/task_create}}
oracle_answer: |
  Done.

  All of them.
checks: [] # so few
wishes:
  - id: more
    oracle:
    - as: more
      call: lark/task_create
    oracle_answer: "More."
    wish: And the herbs.

# wrong runs
near_misses:
  - {{name: none, drop: [water]}}
# what it is like
twin: other
accepts: [{{mutant: x, because: y}}]
"""
LEFT = """\
# Seen by whoever reads it.
task: own/water-the-plants
split: test   # which is decided by hand
instruction: |
  Water the plants.

  oracle: it is not you.

checks: [] # so few
wishes:
  - id: more
    wish: And the herbs.

# what it is like
twin: other

# oracle, oracle_answer, near_misses and accepts are kept back for testing; task.lock stands for them.
"""
TEST = "studio/tada-for-dmitri"


def test_the_note_names_what_few_tasks_have_where_it_was() -> None:
    assert published(LEFT.partition("# oracle,")[0] + "equivalents:\n  - {name: by hand}\n").endswith(
        "twin: other\n\n# oracle, oracle_answer, equivalents, near_misses and accepts are kept back for testing; "
        "task.lock stands for them.\n"
    )


def _kept_back(tmp_path: Path) -> Path:
    """A task of the test split with its lock, as packages have them."""
    shipped, folder = task_folder(TEST), tmp_path / TEST
    folder.mkdir(parents=True)
    (folder / TASK_FILE).write_text(published((shipped / TASK_FILE).read_text()))
    (folder / "task.lock").write_bytes((shipped / "task.lock").read_bytes())
    return folder


def test_the_solution_goes_and_all_else_stays_as_it_is_written() -> None:
    assert published(WRITTEN.format(split="test")) == LEFT
    assert published(LEFT) == LEFT
    assert published(WRITTEN.format(split="public")) == WRITTEN.format(split="public")


def test_a_third_of_the_tasks_that_come_along_is_public_and_no_other_tells_how_it_is_solved(tmp_path: Path) -> None:
    public: set[str] = set()
    twins: list[tuple[str, str]] = []
    for folder in task_folders():
        task, _ = read_task(folder)
        (tmp_path / TASK_FILE).write_text(published((folder / TASK_FILE).read_text()))
        left, _ = read_task(tmp_path)
        assert task.canary == left.canary == CANARY
        assert not task.kept_back
        twins += [(task.task, f"{task.world}/{task.twin}")] * (task.twin is not None)
        if task.split == "public":
            public.add(task.task)
            assert left == task
        else:
            assert left.kept_back
            assert left == task.model_copy(update={m: Task.model_fields[m].default for m in KEPT_BACK})
    assert 0.25 < len(public) / len(task_folders()) < 0.4
    assert "studio/errand" in public, "the demo runs its oracle"
    assert all((task in public) == (twin in public) for task, twin in twins), "what refusing is worth shows on both"


def test_a_lock_stands_for_the_task_that_is_kept_back_as_long_as_it_is_of_that_task(
    tmp_path: Path, worlds_folder: Path
) -> None:
    folder = _kept_back(tmp_path)
    report = lint_task(folder, worlds_folder)
    assert (report.green, report.by_lock, report.results) == (True, True, ())
    assert report.matrix()["oracle"]["right"] == 6
    file = folder / TASK_FILE
    file.write_text(file.read_text().replace("calls: ", "calls: 1"))
    report = lint_task(folder, worlds_folder)
    assert (report.green, report.by_lock) == (False, False)
    assert "comes without its oracle: it is of the test split" in report.findings[0]
    (folder / "task.lock").unlink()
    assert not lint_task(folder, worlds_folder).green


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (f"canary: {CANARY}\n", "", "canary: None is not that of the tasks that come along"),
        (CANARY, "another", "canary: 'another' is not that"),
        (
            "split: test",
            "'split': test",
            "split: oracle, oracle_answer, equivalents, near_misses, accepts cannot be told",
        ),
    ],
)
def test_what_a_task_that_comes_along_has_to_have_is_told(
    tmp_path: Path, worlds_folder: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, told: str
) -> None:
    monkeypatch.setattr("soundstage.runs.task_files.SHIPPED", tmp_path)
    folder = tmp_path / TEST
    folder.mkdir(parents=True)
    written = (REPOSITORY / "tasks" / TEST / TASK_FILE).read_text()
    assert old in written
    (folder / TASK_FILE).write_text(written.replace(old, new))
    (finding,) = lint_task(folder, worlds_folder).findings
    assert told in finding
