"""Intervals and tests compared with known values."""

from __future__ import annotations

import pytest

from soundstage.runs.statistics import mcnemar, over_tasks, paired_test, share_over_tasks, sign_flips, smallest, wilson


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [(8, 10, 0.490, 0.943), (0, 20, 0.0, 0.161), (20, 20, 0.839, 1.0), (1, 2, 0.095, 0.905)],
)
def test_wilson_intervals_equal_textbook_values(count: int, of: int, low: float, high: float) -> None:
    interval = wilson(count, of)
    assert (interval["low"], interval["high"]) == (pytest.approx(low, abs=0.001), pytest.approx(high, abs=0.001))
    assert wilson(0, 0)["value"] is None


def test_one_trial_per_task_uses_wilson_and_several_use_the_bootstrap() -> None:
    assert share_over_tasks([[True], [False]])["method"] == "Wilson"
    assert share_over_tasks([[True, False], [False, False]])["method"] == "bootstrap over tasks"
    assert share_over_tasks([[True, False]]) == {"value": 0.5, "low": None, "high": None, "method": None}
    assert share_over_tasks([])["value"] is None


def test_tasks_that_all_succeeded_still_have_an_interval() -> None:
    assert share_over_tasks([[True] * 4] * 5) == wilson(5, 5)
    low = share_over_tasks([[True] * 4] * 5)["low"]
    assert low is not None
    assert low < 0.6


def test_the_bootstrap_resamples_tasks_and_not_trials() -> None:
    """Twenty trials of each of four tasks contain no more information about other tasks than one trial of each."""
    few = over_tasks([[1.0], [1.0], [0.0], [0.0]])
    many = over_tasks([[1.0] * 20, [1.0] * 20, [0.0] * 20, [0.0] * 20])
    assert many == few
    assert (few["value"], few["low"], few["high"]) == (0.5, 0.0, 1.0)
    assert over_tasks([[1.0], [1.0]]) == {"value": 1.0, "low": 1.0, "high": 1.0, "method": "bootstrap over tasks"}


@pytest.mark.parametrize(
    ("better", "worse", "p"), [(5, 0, 0.0625), (6, 0, 0.03125), (8, 2, 0.109375), (0, 0, 1.0), (3, 3, 1.0)]
)
def test_mcnemar_is_exact(better: int, worse: int, p: float) -> None:
    assert mcnemar(better, worse) == pytest.approx(p)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([0.5, 0.5, 0.5], 0.25),  # two of eight sign patterns are as extreme
        ([0.5, 0.25, 0.25, 0.5, 0.75], 0.0625),
        ([1.0, -1.0], 1.0),
        ([0.0, 0.0], 1.0),
        ([0.5], 1.0),
        ([], 1.0),
    ],
)
def test_all_sign_flips_are_enumerated(differences: list[float], p: float) -> None:
    assert sign_flips(differences) == pytest.approx(p)


def test_many_tasks_are_sampled_reproducibly() -> None:
    differences = [0.25] * 18 + [-0.25] * 6
    assert sign_flips(differences) == sign_flips(differences)
    assert 0.01 < sign_flips(differences) < 0.04  # 0.0227 by the binomial


def test_a_comparison_reports_the_test_the_difference_and_the_detectable_effect() -> None:
    single = paired_test([([0], [1])] * 7 + [([1], [1])] * 13)
    assert (single["method"], single["pairs"], single["p"]) == ("McNemar, exact", 20, pytest.approx(2 * 0.5**7))
    assert single["difference"]["value"] == pytest.approx(0.35)
    several = paired_test([([0, 1], [1, 1])] * 8)
    assert (several["method"], several["p"]) == ("sign-flip permutation", pytest.approx(2 * 0.5**8))
    assert paired_test([])["difference"]["value"] is None


def test_few_tasks_cannot_show_a_difference() -> None:
    assert smallest([1.0] * 5, 1) is None
    assert smallest([0.0] * 48, 1) == pytest.approx(6 / 48)
    assert smallest([0.0] * 48, 4) == pytest.approx(6 / 192)
    noisy = smallest([1.0, -1.0] * 24, 1)
    assert noisy is not None
    assert 0.38 < noisy < 0.43  # 2.80 standard errors of 1.01 / √48
