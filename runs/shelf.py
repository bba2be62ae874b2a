"""Where tasks lie: those that come with Soundstage, and folders of one's own."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from soundstage.grading.task import TASK_FILE, Task, read_task, task_of
from soundstage.source import Source, parse

SHIPPED = Path(__file__).parent.parent / "tasks"
CANARY = "27f80603-2b29-4a66-9c3e-d8226274acd9"
"""Stands in every task that comes along, so that texts in which tasks have got about can be told."""


class UnknownTask(LookupError):
    """There is no such task."""


def task_folders(tasks_dir: Path | None = None) -> list[Path]:
    """The folders of all tasks, by name: `<world>/<task>` below the folder of one's own, else below those that come along."""
    return sorted(file.parent for file in (tasks_dir or SHIPPED).glob(f"*/*/{TASK_FILE}"))


def task_folder(task: str, tasks_dir: Path | None = None) -> Path:
    """A task's folder, by the task's name or by its path.

    Raises:
        UnknownTask: naming those there are.
    """
    for folder in ((tasks_dir or SHIPPED) / task, Path(task)):
        if (folder / TASK_FILE).is_file():
            return folder.resolve()
    known = ", ".join(name_of(f) for f in task_folders(tasks_dir)) or "none"
    raise UnknownTask(f"there is no task {task!r}, and no folder of that name with a {TASK_FILE}; known: {known}")


def name_of(folder: Path) -> str:
    """`studio/move-the-dry-run`"""
    return f"{folder.parent.name}/{folder.name}"


def is_shipped(folder: Path) -> bool:
    """Whether a task is one of those that come along."""
    return folder.resolve().is_relative_to(SHIPPED.resolve())


def solution_missing(task: Task) -> str:
    """What to say of a task that is kept back to whoever needs its solution."""
    return (
        f"{task.task} comes without its oracle: it is of the test split, and its lock stands for it; "
        f"a checkout of the source has the oracles of all tasks (--tasks-dir)"
    )


def shelved(folder: Path) -> tuple[Task, Source]:
    """A folder's task with its source, read anew only when the file has changed.

    Raises:
        SourceError: with every mistake in it.
    """
    seen = (folder / TASK_FILE).stat()
    return _shelved(folder, seen.st_mtime_ns, seen.st_size)


@lru_cache(maxsize=1000)
def _shelved(folder: Path, changed_ns: int, size: int) -> tuple[Task, Source]:
    return read_task(folder)


@lru_cache(maxsize=512)
def task_in(text: bytes | str, name: str) -> Task:
    """The task of this name in the text of a task.yaml, such as a run or a bundle has kept.

    Raises:
        SourceError: naming each mistake by file and line.
    """
    return task_of(parse(text, f"{name}/{TASK_FILE}"))
