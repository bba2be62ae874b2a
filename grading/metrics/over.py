"""Figures over many trials. Tasks count the same, however many trials each has; with nothing to count there is no figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import comb
from statistics import fmean

from typing_extensions import TypedDict


class Share(TypedDict):
    """So many of so many; `rate` is None where there are none."""

    count: int
    of: int
    rate: float | None


def share(count: int, of: int) -> Share:
    return Share(count=count, of=of, rate=count / of if of else None)


def mean_of_tasks(by_task: Iterable[Sequence[float]]) -> float | None:
    """The mean over tasks of the mean over each one's trials: success rate (of 0 and 1), score, Acc, Exec-Acc."""
    means = [fmean(values) for values in by_task if values]
    return fmean(means) if means else None


def share_above(values: Iterable[float], bar: float) -> Share:
    """SR-0.8 with a bar of 0.8: the share of trials that exceed it. The bar itself does not."""
    given = list(values)
    return share(sum(v > bar for v in given), len(given))


def pass_at(k: int, n: int, c: int) -> float | None:
    """pass@k of a task: that at least one of k trials succeeds, from c successes in n. None for n < k: nothing is padded."""
    return None if n < k else 1 - comb(n - c, k) / comb(n, k)


def pass_all(k: int, n: int, c: int) -> float | None:
    """pass^k of a task: that all of k trials succeed."""
    return None if n < k else comb(c, k) / comb(n, k)


def mean_pass_at(k: int, tasks: Iterable[tuple[int, int]]) -> float | None:
    """pass@k over tasks, each given by its trials and successes; those with fewer than k trials are left out."""
    return _mean(pass_at(k, n, c) for n, c in tasks)


def mean_pass_all(k: int, tasks: Iterable[tuple[int, int]]) -> float | None:
    """pass^k over tasks."""
    return _mean(pass_all(k, n, c) for n, c in tasks)


def robustness(pairs: Mapping[str, Sequence[tuple[float, float]]]) -> dict[str, float]:
    """What faults cost, by task: the mean of (without − with) over pairs of trials of one seed and number."""
    return {task: fmean(off - on for off, on in held) for task, held in pairs.items() if held}


def recall_at(k: int, ranks: Iterable[int | None]) -> Share:
    """The share of searches whose first useful tool is among the first k. Ranks count from 1; None: it was not found."""
    given = list(ranks)
    return share(sum(rank is not None and rank <= k for rank in given), len(given))


def exactly_once(effects: Iterable[int]) -> Share:
    """Of the faults that struck creating calls, those that left one effect or none."""
    given = list(effects)
    return share(sum(effect <= 1 for effect in given), len(given))


def _mean(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return fmean(known) if known else None
