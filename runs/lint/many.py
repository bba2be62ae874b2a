"""Lint many tasks concurrently in separate processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

from soundstage.runs.lint.report import Report
from soundstage.runs.lint.task import lint_task


def lint_tasks(
    folders: Sequence[Path], built: Path, own_worlds: Path | None = None, *, jobs: int = 1
) -> Iterator[Report]:
    """Yield a report for each folder, in their order."""
    if jobs == 1 or len(folders) < 2:
        yield from (lint_task(folder, built, own_worlds) for folder in folders)
        return
    with ProcessPoolExecutor(min(jobs, len(folders)), mp_context=get_context("spawn")) as pool:
        yield from pool.map(lint_task, folders, repeat(built), repeat(own_worlds))
