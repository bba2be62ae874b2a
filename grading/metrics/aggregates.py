"""Figures over many trials; tasks have equal weight regardless of their number of trials, and None means no data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import comb
from statistics import fmean

from typing_extensions import TypedDict


class Share(TypedDict):
    """A count out of a total; a total of 0 has the rate None."""

    count: int
    of: int
    rate: float | None


def share(count: int, of: int) -> Share:
    """Return a count with its total and its rate."""
    return Share(count=count, of=of, rate=count / of if of else None)


def mean_of_tasks(by_task: Iterable[Sequence[float]]) -> float | None:
    """Return the mean over tasks of each task's mean: success rate (of 0 and 1), score, Acc, Exec-Acc."""
    means = [fmean(values) for values in by_task if values]
    return fmean(means) if means else None


def share_above(values: Iterable[float], bar: float) -> Share:
    """Return the share of trials above a bar, exclusively; SR-0.8 has the bar 0.8."""
    given = list(values)
    return share(sum(v > bar for v in given), len(given))


def pass_at(k: int, n: int, c: int) -> float | None:
    """Return pass@k of a task from c successes in n trials: at least one of k succeeds. None for n < k; nothing is padded."""
    return None if n < k else 1 - comb(n - c, k) / comb(n, k)


def pass_all(k: int, n: int, c: int) -> float | None:
    """Return pass^k of a task: all of k trials succeed."""
    return None if n < k else comb(c, k) / comb(n, k)


def mean_pass_at(k: int, tasks: Iterable[tuple[int, int]]) -> float | None:
    """Return the mean pass@k over tasks, given by trials and successes, without tasks with fewer than k trials."""
    return _mean(pass_at(k, n, c) for n, c in tasks)


def mean_pass_all(k: int, tasks: Iterable[tuple[int, int]]) -> float | None:
    """Return the mean pass^k over tasks."""
    return _mean(pass_all(k, n, c) for n, c in tasks)


def robustness(pairs: Mapping[str, Sequence[tuple[float, float]]]) -> dict[str, float]:
    """Return the cost of faults by task: the mean of (without − with) over pairs of trials of one seed and number."""
    return {task: fmean(off - on for off, on in scores) for task, scores in pairs.items() if scores}


def recall_at(k: int, ranks: Iterable[int | None]) -> Share:
    """Return the share of searches whose first useful tool has rank k or better; ranks count from 1, None means absent."""
    given = list(ranks)
    return share(sum(rank is not None and rank <= k for rank in given), len(given))


def exactly_once(effects: Iterable[int]) -> Share:
    """Return the share of faults in creating calls that left one effect or none."""
    given = list(effects)
    return share(sum(effect <= 1 for effect in given), len(given))


def _mean(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return fmean(known) if known else None
