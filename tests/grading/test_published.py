"""The published form of tasks: public tasks are complete, and those of the test split lack the parts that reveal their
solution.
"""

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


def test_the_note_about_removed_parts_is_where_they_were() -> None:
    assert published(LEFT.partition("# oracle,")[0] + "equivalents:\n  - {name: by hand}\n").endswith(
        "twin: other\n\n# oracle, oracle_answer, equivalents, near_misses and accepts are kept back for testing; "
        "task.lock stands for them.\n"
    )


def _kept_back(tmp_path: Path) -> Path:
    """Return the folder of a task of the test split with its lock, in the form in which packages contain it."""
    shipped, folder = task_folder(TEST), tmp_path / TEST
    folder.mkdir(parents=True)
    (folder / TASK_FILE).write_text(published((shipped / TASK_FILE).read_text()))
    (folder / "task.lock").write_bytes((shipped / "task.lock").read_bytes())
    return folder


def test_only_the_solution_is_removed_and_the_rest_stays_byte_for_byte() -> None:
    assert published(WRITTEN.format(split="test")) == LEFT
    assert published(LEFT) == LEFT
    assert published(WRITTEN.format(split="public")) == WRITTEN.format(split="public")


def test_a_third_of_the_shipped_tasks_is_public_and_no_other_contains_its_solution(tmp_path: Path) -> None:
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


def test_a_lock_vouches_for_a_withheld_task_until_the_task_changes(tmp_path: Path, worlds_folder: Path) -> None:
    folder = _kept_back(tmp_path)
    report = lint_task(folder, worlds_folder)
    assert (report.green, report.by_lock, report.results) == (True, True, ())
    assert report.matrix()["oracle"]["right"] == 6
    file = folder / TASK_FILE
    file.write_text(file.read_text().replace("calls: ", "calls: 1"))
    report = lint_task(folder, worlds_folder)
    assert (report.green, report.by_lock) == (False, False)
    assert "comes without its oracle: it is in the test split" in report.findings[0]
    (folder / "task.lock").unlink()
    assert not lint_task(folder, worlds_folder).green


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (f"canary: {CANARY}\n", "", "canary: None is not the canary of the shipped tasks"),
        (CANARY, "another", "canary: 'another' is not the canary"),
        (
            "split: test",
            "'split': test",
            "split: oracle, oracle_answer, equivalents, near_misses, accepts cannot be separated",
        ),
    ],
)
def test_a_shipped_task_without_a_required_member_is_reported(
    tmp_path: Path, worlds_folder: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, message: str
) -> None:
    monkeypatch.setattr("soundstage.runs.task_files.SHIPPED", tmp_path)
    folder = tmp_path / TEST
    folder.mkdir(parents=True)
    written = (REPOSITORY / "tasks" / TEST / TASK_FILE).read_text()
    assert old in written
    (folder / TASK_FILE).write_text(written.replace(old, new))
    (finding,) = lint_task(folder, worlds_folder).findings
    assert message in finding
