"""Verify a task's grader by execution: every run of `soundstage.grading.lint` is played in a separate session and graded.

A green report is written next to the task as `task.lock`; a task without a fresh lock must not be used.
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
