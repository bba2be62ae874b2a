"""What the lint found out about a task, the lines and the matrix made of it, and the lock that a green one leaves."""

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
    """One run of the lint: what it had to come to, what it came to, and whether that is right.

    `same`: it comes to what the oracle comes to, so it is no mistake. `accepted`: the task says why it happens to be right.
    `note`: why it does not count, of a run under faults.
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
    """One task under one operator: how many runs, how many of them as they should be; of wrong ones, how many were caught."""

    expected: str
    runs: int
    right: int
    accepted: int
    same: int
    wrong: int
    caught: int


@dataclass(frozen=True, slots=True)
class Report:
    """All that the lint found out about a task. `findings` are in words; without any the task is green.

    `by_lock`: nothing was played, since the task's solution is kept back; its lock, which is fresh, stands for it.
    """

    task: str
    results: tuple[Result, ...]
    findings: tuple[str, ...]
    lock: dict[str, Any]
    by_lock: bool = False

    @property
    def green(self) -> bool:
        return not self.findings

    def matrix(self) -> dict[str, Cell]:
        """The task's row of the matrix: operator → what came of its runs."""
        if self.by_lock:
            kept: dict[str, Cell] = self.lock["matrix"]
            return kept
        return matrix(self.results)

    def mistakes(self) -> tuple[int, int]:
        """How many runs were wrong, and how many of them were caught: the mutation score."""
        cells = self.matrix().values()
        return sum(c["wrong"] for c in cells), sum(c["caught"] for c in cells)

    def lines(self) -> Iterator[dict[str, Any]]:
        """A line for each run, as `lint.jsonl` has them."""
        for result in self.results:
            yield {"task": self.task, **asdict(result)}


def matrix(results: Iterable[Result]) -> dict[str, Cell]:
    """Operator → what came of its runs, in the order in which they were made."""
    found: dict[str, Cell] = {}
    for r in results:
        cell = found.setdefault(
            r.operator, Cell(expected=r.expected, runs=0, right=0, accepted=0, same=0, wrong=0, caught=0)
        )
        wrong = r.expected == "caught" and not r.same and not r.accepted
        cell["runs"] += 1
        cell["right"] += r.right
        cell["accepted"] += r.accepted
        cell["same"] += r.same
        cell["wrong"] += wrong
        cell["caught"] += wrong and not r.success
    return found


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
    """What is kept of a green report. `published` is the digest of the task as packages have it, often the same one."""
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
    """Keep a green report beside its task."""
    (folder / LOCK_FILE).write_bytes(orjson.dumps(report.lock, option=orjson.OPT_INDENT_2) + b"\n")


def read_lock(folder: Path) -> dict[str, Any] | None:
    """A task's lock; None where there is none that is green."""
    try:
        lock: Any = orjson.loads((folder / LOCK_FILE).read_bytes())
    except (FileNotFoundError, orjson.JSONDecodeError):
        return None
    return lock if isinstance(lock, dict) and lock.get("green") is True else None


def is_fresh(folder: Path, fingerprint: str) -> bool:
    """Whether a task's lock is there and green, of this very task, whole or as packages have it, and of this world."""
    lock = read_lock(folder)
    if lock is None or lock.get("world_fingerprint") != fingerprint:
        return False
    return digest(folder) in (lock.get("task_digest"), lock.get("published_digest"))


def oracle_calls(folder: Path, task: Task) -> int:
    """How many calls a task's solution makes: as its lock says, which knows it where the solution is kept back, else as many as
    are written.
    """
    lock = read_lock(folder)
    return len(task.oracle) if lock is None else int(lock["oracle"]["calls"])


def digest(folder: Path) -> str:
    """A hash of the task as it is written."""
    return task_digest((folder / TASK_FILE).read_bytes())
