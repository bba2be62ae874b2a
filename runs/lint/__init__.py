"""Proving a task's grader by execution: every run of `soundstage.grading.lint` is played in a session of its own and graded.

A green report is written beside the task as `task.lock`; without a fresh one a task is not to be used.
"""

from soundstage.runs.lint.many import lint_tasks
from soundstage.runs.lint.report import (
    LOCK_FILE,
    Cell,
    Report,
    Result,
    digest,
    is_fresh,
    oracle_calls,
    write_lines,
    write_lock,
)
from soundstage.runs.lint.task import lint_task

__all__ = [
    "LOCK_FILE",
    "Cell",
    "Report",
    "Result",
    "digest",
    "is_fresh",
    "lint_task",
    "lint_tasks",
    "oracle_calls",
    "write_lines",
    "write_lock",
]
