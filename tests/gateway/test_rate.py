from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from soundstage.gateway.rate import Rates

RATES = st.floats(0.01, 5000)
PAUSES = st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 3)), max_size=200)


def _taken(rates: Rates, asked: list[tuple[str, float]]) -> dict[str, list[float]]:
    now = 1000.0
    taken: dict[str, list[float]] = {}
    for key, pause in asked:
        now += pause
        if rates.take(key, now) == 0:
            taken.setdefault(key, []).append(now)
    return taken


@given(RATES, PAUSES)
def test_no_window_holds_more_than_its_rate_and_one_burst(per_s: float, asked: list[tuple[str, float]]) -> None:
    for moments in _taken(Rates(per_s), asked).values():
        for first, start in enumerate(moments):
            for last in range(first, len(moments)):
                allowed = per_s * (moments[last] - start) + max(1.0, per_s)
                assert last - first + 1 <= allowed + 0.01


@given(RATES, PAUSES, st.integers(1, 3))
def test_few_buckets_allow_no_more_than_many(per_s: float, asked: list[tuple[str, float]], most: int) -> None:
    few = Rates(per_s, most=most)
    many, fewer = _taken(Rates(per_s), asked), _taken(few, asked)
    assert len(few) <= most
    assert sum(map(len, fewer.values())) <= sum(map(len, many.values()))


@given(RATES, PAUSES)
def test_waiting_as_long_as_told_is_enough_and_refusals_take_nothing(
    per_s: float, asked: list[tuple[str, float]]
) -> None:
    rates = Rates(per_s)
    now = 1000.0
    for key, pause in asked:
        now += pause
        while (wait := rates.take(key, now)) > 0:
            assert rates.take(key, now) == wait
            now += wait


@given(st.integers(1, 1000))
def test_a_second_s_worth_may_come_at_once(per_s: int) -> None:
    rates = Rates(per_s)
    assert [rates.take("a", 5.0) == 0 for _ in range(per_s + 1)] == [True] * per_s + [False]


def test_buckets_that_nobody_uses_are_forgotten() -> None:
    rates = Rates(10, most=100)
    for number in range(10_000):
        assert rates.take(f"key {number}", number * 0.01) == 0
    assert len(rates) <= 100


def test_newcomers_wait_while_every_bucket_is_in_use() -> None:
    rates = Rates(0.1, most=2)
    assert rates.take("a", 0) == rates.take("b", 4) == 0
    assert rates.take("c", 6) == 4
    assert rates.take("c", 10) == 0
