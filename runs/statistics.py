"""How sure figures are: intervals, paired comparisons, and how small a difference a design can see. Everything is at 95 %.

What is drawn at random is drawn from a fixed seed, so the same results give the same figures.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from typing_extensions import TypedDict

_SURE = 0.95
_RESAMPLES = 9999
_SEED = 20_261_120
_POWER = 0.8


class Interval(TypedDict):
    """A figure and between what it lies. `method` is how that was found: None where there is nothing to tell it from."""

    value: float | None
    low: float | None
    high: float | None
    method: str | None


class PairedTest(TypedDict):
    """Whether two that were paired differ. `p` is how often chance alone would make as much of a difference; `smallest` is the
    difference that this many pairs would show four times out of five, None where no difference could show.
    """

    method: str
    pairs: int
    difference: Interval
    p: float
    smallest: float | None


def wilson(count: int, of: int) -> Interval:
    """A share with Wilson's interval, which holds for few cases too."""
    from scipy import stats  # takes a second, which a gateway that starts would spend for nothing

    if of == 0:
        return Interval(value=None, low=None, high=None, method=None)
    found = stats.binomtest(count, of).proportion_ci(_SURE, method="wilson")
    return Interval(value=count / of, low=float(found.low), high=float(found.high), method="Wilson")


def over_tasks(by_task: Sequence[Sequence[float]]) -> Interval:
    """The mean over tasks of the mean of each one's trials, with an interval for other tasks of this kind: tasks are drawn anew,
    their trials with them. Of a single task nothing can be told about others.
    """
    means = [float(np.mean(values)) for values in by_task if len(values)]
    if not means:
        return Interval(value=None, low=None, high=None, method=None)
    value = float(np.mean(means))
    if len(means) < 2:
        return Interval(value=value, low=None, high=None, method=None)
    low, high = _drawn(means)
    return Interval(value=value, low=low, high=high, method="bootstrap over tasks")


def share_over_tasks(by_task: Sequence[Sequence[bool]]) -> Interval:
    """A share of trials: Wilson's interval where each task came out one way (it has one trial, or all are the same), the
    bootstrap over tasks otherwise. Drawn anew, tasks that all succeeded would be as sure as can be, however few they are.
    """
    if by_task and all(len(set(values)) == 1 for values in by_task):
        return wilson(sum(values[0] for values in by_task), len(by_task))
    return over_tasks([[float(v) for v in values] for values in by_task])


def compared(pairs: Sequence[tuple[Sequence[float], Sequence[float]]]) -> PairedTest:
    """Whether the second of each pair differs from the first, over tasks: by the exact McNemar test where each has one trial that
    is 0 or 1, by flipping the signs of the tasks' differences otherwise.
    """
    differences = [float(np.mean(second)) - float(np.mean(first)) for first, second in pairs]
    value = float(np.mean(differences)) if differences else None
    low, high = _drawn(differences) if len(differences) > 1 else (None, None)
    interval = Interval(value=value, low=low, high=high, method="bootstrap over tasks" if low is not None else None)
    ones = all(len(values) == 1 and values[0] in (0, 1) for pair in pairs for values in pair)
    p = mcnemar(sum(d > 0 for d in differences), sum(d < 0 for d in differences)) if ones else sign_flips(differences)
    method = "McNemar, exact" if ones else "sign-flip permutation"
    trials = min((len(values) for pair in pairs for values in pair), default=1)
    return PairedTest(method=method, pairs=len(pairs), difference=interval, p=p, smallest=smallest(differences, trials))


def mcnemar(better: int, worse: int) -> float:
    """The exact McNemar test: of the pairs that differ, as many should go either way."""
    from scipy import stats

    return float(stats.binomtest(better, better + worse).pvalue) if better + worse else 1.0


def sign_flips(differences: Sequence[float]) -> float:
    """How often the mean of differences is as far from 0 when each has its sign drawn: of all ways where they are few enough."""
    from scipy import stats

    if len(differences) < 2 or not any(differences):
        return 1.0  # of a single difference both signs are as far out
    found = stats.permutation_test(
        (np.array(differences),),
        lambda values, axis: np.mean(values, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=_RESAMPLES,
        rng=np.random.default_rng(_SEED),
    )
    return float(found.pvalue)


def smallest(differences: Sequence[float], trials: int) -> float | None:
    """The smallest true difference that so many tasks would show four times out of five, going by how much these differ; never
    less than what the test could call more than chance at all (six tasks that all go one way).
    """
    from scipy import stats

    count = len(differences)
    least = next(n for n in range(1, 64) if mcnemar(n, 0) < 1 - _SURE)
    if count < least:
        return None
    spread = float(np.std(differences, ddof=1)) / count**0.5
    reach = float(stats.norm.ppf(1 - (1 - _SURE) / 2) + stats.norm.ppf(_POWER))
    return max(float(reach * spread), least / (count * trials))


def _drawn(values: Sequence[float]) -> tuple[float, float]:
    """The interval of a mean by drawing anew."""
    drawn = np.random.default_rng(_SEED).choice(np.array(values), size=(_RESAMPLES, len(values)))
    low, high = np.quantile(drawn.mean(axis=1), [(1 - _SURE) / 2, (1 + _SURE) / 2])
    return float(low), float(high)
