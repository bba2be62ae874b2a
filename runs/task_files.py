"""Locate task files: the shipped ones, and others in a user's folder."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from soundstage.grading.task import TASK_FILE, Task, read_task, task_of
from soundstage.source import Source, parse

SHIPPED = Path(__file__).parent.parent / "tasks"
CANARY = "27f80603-2b29-4a66-9c3e-d8226274acd9"
"""A marker in every shipped task, which reveals texts that contain leaked tasks."""


class UnknownTask(LookupError):
    """The task does not exist."""


def task_folders(tasks_dir: Path | None = None) -> list[Path]:
    """Return the folders of all tasks by name, `<world>/<task>`, below `tasks_dir` or else the shipped ones."""
    return sorted(file.parent for file in (tasks_dir or SHIPPED).glob(f"*/*/{TASK_FILE}"))


def task_folder(task: str, tasks_dir: Path | None = None) -> Path:
    """Return a task's folder, by the task's name or by its path.

    Raises:
        UnknownTask: The task does not exist; the message lists the known ones.
    """
    for folder in ((tasks_dir or SHIPPED) / task, Path(task)):
        if (folder / TASK_FILE).is_file():
            return folder.resolve()
    known = ", ".join(name_of(f) for f in task_folders(tasks_dir)) or "none"
    raise UnknownTask(f"there is no task {task!r}, and no folder of that name with a {TASK_FILE}; known: {known}")


def name_of(folder: Path) -> str:
    """Return a task's name, such as `studio/move-the-dry-run`."""
    return f"{folder.parent.name}/{folder.name}"


def is_shipped(folder: Path) -> bool:
    """Whether a task is part of Soundstage."""
    return folder.resolve().is_relative_to(SHIPPED.resolve())


def missing_solution_message(task: Task) -> str:
    """Return the error message for a task whose required solution is withheld."""
    return (
        f"{task.task} comes without its oracle: it is in the test split, and its lock represents the oracle; "
        f"a checkout of the source has the oracles of all tasks (--tasks-dir)"
    )


def cached_task(folder: Path) -> tuple[Task, Source]:
    """Return a folder's task with its source; the file is only read again if it has changed.

    Raises:
        SourceError: The task is invalid; every mistake is listed.
    """
    seen = (folder / TASK_FILE).stat()
    return _cached_task(folder, seen.st_mtime_ns, seen.st_size)


@lru_cache(maxsize=1000)
def _cached_task(folder: Path, changed_ns: int, size: int) -> tuple[Task, Source]:
    return read_task(folder)


@lru_cache(maxsize=512)
def task_from_text(text: bytes | str, name: str) -> Task:
    """Parse a named task from the text of a task.yaml, as stored in a run or a bundle.

    Raises:
        SourceError: The task is invalid; each mistake is listed by file and line.
    """
    return task_of(parse(text, f"{name}/{TASK_FILE}"))
