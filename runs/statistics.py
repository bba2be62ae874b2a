"""Statistical certainty of figures: intervals, paired comparisons, and the smallest detectable difference, all at 95 %.

Random draws use a fixed seed, so that equal results give equal figures.
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
    """A figure with its interval and the `method` that computed it; None without data."""

    value: float | None
    low: float | None
    high: float | None
    method: str | None


class PairedTest(TypedDict):
    """A test whether paired values differ.

    `p` is the probability of at least this difference by chance alone. `smallest` is the difference that this number of pairs
    detects with 80 % power, None if no difference is detectable.
    """

    method: str
    pairs: int
    difference: Interval
    p: float
    smallest: float | None


def wilson(count: int, of: int) -> Interval:
    """Return a share with Wilson's interval, which is valid for few cases, too."""
    from scipy import stats  # imported here because it takes a second, which would delay the gateway's start

    if of == 0:
        return Interval(value=None, low=None, high=None, method=None)
    interval = stats.binomtest(count, of).proportion_ci(_SURE, method="wilson")
    return Interval(value=count / of, low=float(interval.low), high=float(interval.high), method="Wilson")


def over_tasks(by_task: Sequence[Sequence[float]]) -> Interval:
    """Return the mean over tasks of each task's mean, with a bootstrap interval over tasks of this kind.

    Tasks are resampled together with their trials. A single task gives no interval.
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
    """Return a share of trials, with Wilson's interval if each task has uniform results, else the bootstrap over tasks.

    The bootstrap would report certainty for tasks that all succeeded, however few they are.
    """
    if by_task and all(len(set(values)) == 1 for values in by_task):
        return wilson(sum(values[0] for values in by_task), len(by_task))
    return over_tasks([[float(v) for v in values] for values in by_task])


def paired_test(pairs: Sequence[tuple[Sequence[float], Sequence[float]]]) -> PairedTest:
    """Test whether the second of each pair differs from the first, over tasks.

    The exact McNemar test is used if each task has one trial of 0 or 1; otherwise the signs of the tasks' differences are
    permuted.
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
    """Return p of the exact McNemar test: by chance, differing pairs are equally likely in both directions."""
    from scipy import stats

    return float(stats.binomtest(better, better + worse).pvalue) if better + worse else 1.0


def sign_flips(differences: Sequence[float]) -> float:
    """Return p of the sign permutation test; all permutations are enumerated if they are few enough."""
    from scipy import stats

    if len(differences) < 2 or not any(differences):
        return 1.0  # for a single difference both signs are equally extreme
    test = stats.permutation_test(
        (np.array(differences),),
        lambda values, axis: np.mean(values, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=_RESAMPLES,
        rng=np.random.default_rng(_SEED),
    )
    return float(test.pvalue)


def smallest(differences: Sequence[float], trials: int) -> float | None:
    """Return the smallest true difference that this number of tasks detects with 80 % power, given their variance.

    It is never less than the smallest significant difference (six tasks that all differ in one direction).
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
    """Return the bootstrap interval of a mean."""
    drawn = np.random.default_rng(_SEED).choice(np.array(values), size=(_RESAMPLES, len(values)))
    low, high = np.quantile(drawn.mean(axis=1), [(1 - _SURE) / 2, (1 + _SURE) / 2])
    return float(low), float(high)
