from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from soundstage.gateway.rate import Rates

RATES = st.floats(0.01, 5000)
PAUSES = st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 3)), max_size=200)


def _taken(rates: Rates, requests: list[tuple[str, float]]) -> dict[str, list[float]]:
    now = 1000.0
    taken: dict[str, list[float]] = {}
    for key, pause in requests:
        now += pause
        if rates.take(key, now) == 0:
            taken.setdefault(key, []).append(now)
    return taken


@given(RATES, PAUSES)
def test_no_window_exceeds_the_rate_plus_one_burst(per_s: float, requests: list[tuple[str, float]]) -> None:
    for moments in _taken(Rates(per_s), requests).values():
        for first, start in enumerate(moments):
            for last in range(first, len(moments)):
                allowed = per_s * (moments[last] - start) + max(1.0, per_s)
                assert last - first + 1 <= allowed + 0.01


@given(RATES, PAUSES, st.integers(1, 3))
def test_fewer_buckets_allow_no_more_requests_than_many(
    per_s: float, requests: list[tuple[str, float]], most: int
) -> None:
    few = Rates(per_s, most=most)
    many, fewer = _taken(Rates(per_s), requests), _taken(few, requests)
    assert len(few) <= most
    assert sum(map(len, fewer.values())) <= sum(map(len, many.values()))


@given(RATES, PAUSES)
def test_the_returned_wait_is_enough_and_refusals_use_nothing(per_s: float, requests: list[tuple[str, float]]) -> None:
    rates = Rates(per_s)
    now = 1000.0
    for key, pause in requests:
        now += pause
        while (wait := rates.take(key, now)) > 0:
            assert rates.take(key, now) == wait
            now += wait


@given(st.integers(1, 1000))
def test_one_seconds_worth_may_arrive_at_once(per_s: int) -> None:
    rates = Rates(per_s)
    assert [rates.take("a", 5.0) == 0 for _ in range(per_s + 1)] == [True] * per_s + [False]


def test_unused_buckets_are_removed() -> None:
    rates = Rates(10, most=100)
    for number in range(10_000):
        assert rates.take(f"key {number}", number * 0.01) == 0
    assert len(rates) <= 100


def test_new_keys_wait_while_every_bucket_is_in_use() -> None:
    rates = Rates(0.1, most=2)
    assert rates.take("a", 0) == rates.take("b", 4) == 0
    assert rates.take("c", 6) == 4
    assert rates.take("c", 10) == 0
