"""Values of reddit.com's public formulas, calculated by hand or taken from their descriptions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soundstage.kernels.engines.social.ranking import confidence, controversy, estimated_votes, hot, rising

LAUNCH = 1134028003


def test_half_a_day_is_worth_ten_times_the_score() -> None:
    assert hot(1, LAUNCH) == 0
    assert hot(10, LAUNCH) == 1
    assert hot(1, LAUNCH + 45_000) == 1
    assert hot(100, LAUNCH) == hot(10, LAUNCH + 45_000) == 2


def test_a_score_below_nothing_pulls_down_and_none_counts_as_none() -> None:
    assert hot(-10, LAUNCH) == -1
    assert hot(0, LAUNCH) == hot(1, LAUNCH) == hot(-1, LAUNCH) == 0


def test_hotness_has_seven_places() -> None:
    assert hot(2, LAUNCH + 1) == round(math.log10(2) + 1 / 45_000, 7) == 0.3010522


def test_rising_is_as_hot() -> None:
    assert rising(17, LAUNCH + 99) == hot(17, LAUNCH + 99)


def test_controversy_grows_with_votes_and_evenness() -> None:
    assert controversy(10, 10) == 20
    assert controversy(5, 10) == controversy(10, 5) == pytest.approx(math.sqrt(15))
    assert controversy(100, 100) > controversy(100, 50) > controversy(100, 1) > 1
    assert controversy(100, 0) == controversy(0, 100) == controversy(-3, 4) == 0


def test_confidence_is_the_lower_bound_of_wilsons_interval() -> None:
    z = 1.281551565545
    assert confidence(0, 0) == 0
    assert confidence(1, 0) == pytest.approx(1 / (1 + z * z))
    assert confidence(0, 1) == pytest.approx(0)
    assert confidence(60, 40) == pytest.approx(0.536, abs=0.001)
    assert confidence(600, 400) > confidence(60, 40) > confidence(6, 4)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_votes_are_estimated_from_score_and_share(ups: int, downs: int) -> None:
    if ups == downs:
        return
    assert estimated_votes(ups - downs, ups / (ups + downs)) == pytest.approx((ups, downs), rel=1e-6, abs=1e-6)


def test_with_a_meaningless_share_every_point_is_a_vote() -> None:
    assert estimated_votes(0, 0.5) == (0, 0)
    assert estimated_votes(3, 0.5) == (3, 0)
    assert estimated_votes(7, 0.2) == (7, 0), "more against than in favour, and yet seven points"
    assert estimated_votes(-7, 0.9) == (0, 7)
    assert estimated_votes(0, 0.9) == (0, 0)
