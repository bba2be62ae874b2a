"""The lint's report on a task, its output lines and matrix, and the lock that a green report writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypedDict

import orjson

from soundstage.grading.task import TASK_FILE, Task
from soundstage.runs.sealed import task_digest

LOCK_FILE = "task.lock"


@dataclass(frozen=True, slots=True)
class Result:
    """One run of the lint: its required and its actual result, and whether they agree.

    `same`: its result equals the oracle's, so that it is not a mistake. `accepted`: the task explains why it is right. `note`:
    the reason for which a run with faults does not count.
    """

    operator: str
    mutant: str
    expected: str
    score: float
    success: bool
    failed: tuple[str, ...]
    right: bool
    problem: str | None = None
    same: bool = False
    accepted: bool = False
    note: str | None = None


class Cell(TypedDict):
    """One task and operator: the number of runs and of correct results; for wrong runs, the number caught."""

    expected: str
    runs: int
    right: int
    accepted: int
    same: int
    wrong: int
    caught: int


@dataclass(frozen=True, slots=True)
class Report:
    """The lint's results for a task; without `findings` the task is green.

    `by_lock`: nothing was played, because the task's solution is withheld; its fresh lock is the evidence.
    """

    task: str
    results: tuple[Result, ...]
    findings: tuple[str, ...]
    lock: dict[str, Any]
    by_lock: bool = False

    @property
    def green(self) -> bool:
        """Whether the lint found nothing."""
        return not self.findings

    def matrix(self) -> dict[str, Cell]:
        """Return the task's row of the matrix: operator → results of its runs."""
        if self.by_lock:
            cells: dict[str, Cell] = self.lock["matrix"]
            return cells
        return matrix(self.results)

    def mistakes(self) -> tuple[int, int]:
        """Return the number of wrong runs and of those caught: the mutation score."""
        cells = self.matrix().values()
        return sum(c["wrong"] for c in cells), sum(c["caught"] for c in cells)

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield a line for each run, as stored in `lint.jsonl`."""
        for result in self.results:
            yield {"task": self.task, **asdict(result)}


def matrix(results: Iterable[Result]) -> dict[str, Cell]:
    """Return operator → results of its runs, in the order of creation."""
    result: dict[str, Cell] = {}
    for r in results:
        cell = result.setdefault(
            r.operator, Cell(expected=r.expected, runs=0, right=0, accepted=0, same=0, wrong=0, caught=0)
        )
        wrong = r.expected == "caught" and not r.same and not r.accepted
        cell["runs"] += 1
        cell["right"] += r.right
        cell["accepted"] += r.accepted
        cell["same"] += r.same
        cell["wrong"] += wrong
        cell["caught"] += wrong and not r.success
    return result


def lock_of(
    *,
    task: str,
    version: int,
    digest: str,
    published: str,
    fingerprint: str,
    names: dict[str, str],
    calls: int,
    oracle: str,
    results: Iterable[Result],
) -> dict[str, Any]:
    """Return the lock of a green report; `published` is the digest of the task's packaged form, which is often the same."""
    rows = list(results)
    cells = matrix(rows)
    return {
        "task": task,
        "version": version,
        "task_digest": digest,
        "published_digest": published,
        "world_fingerprint": fingerprint,
        "names": names,
        "oracle": {"calls": calls, "digest": oracle},
        "mutants": len(rows),
        "accepted": sum(r.accepted for r in rows),
        "wrong": sum(c["wrong"] for c in cells.values()),
        "caught": sum(c["caught"] for c in cells.values()),
        "operators": dict(sorted(Counter(r.operator for r in rows).items())),
        "matrix": cells,
        "green": True,
    }


def write_lines(file: Path, reports: Iterable[Report]) -> None:
    """Write a line of JSON for every run of these reports."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"".join(orjson.dumps(line) + b"\n" for report in reports for line in report.lines()))


def write_lock(folder: Path, report: Report) -> None:
    """Write the lock of a green report next to its task."""
    (folder / LOCK_FILE).write_bytes(orjson.dumps(report.lock, option=orjson.OPT_INDENT_2) + b"\n")


def read_lock(folder: Path) -> dict[str, Any] | None:
    """Return a task's lock; None without a green one."""
    try:
        lock: Any = orjson.loads((folder / LOCK_FILE).read_bytes())
    except (FileNotFoundError, orjson.JSONDecodeError):
        return None
    return lock if isinstance(lock, dict) and lock.get("green") is True else None


def is_fresh(folder: Path, fingerprint: str) -> bool:
    """Whether a task has a green lock for its present text, complete or as packaged, and for this world."""
    lock = read_lock(folder)
    if lock is None or lock.get("world_fingerprint") != fingerprint:
        return False
    return digest(folder) in (lock.get("task_digest"), lock.get("published_digest"))


def oracle_calls(folder: Path, task: Task) -> int:
    """Return the number of calls in a task's solution: from the lock, which has it for withheld solutions, or by counting."""
    lock = read_lock(folder)
    return len(task.oracle) if lock is None else int(lock["oracle"]["calls"])


def digest(folder: Path) -> str:
    """Return a hash of the task's text."""
    return task_digest((folder / TASK_FILE).read_bytes())
