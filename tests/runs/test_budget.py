"""Presets of faults in tasks of other lengths: as many for each call, the same for every agent, and never none."""

from __future__ import annotations

from collections import Counter

import pytest

from soundstage.gateway.faults.schedule import preset
from soundstage.runs.budget import scaled

ADVERSARIAL = preset("adversarial")
BUDGET, TURNS = ADVERSARIAL["budget"], ADVERSARIAL["turns"]
SEEDS = range(300)
_ANYWHERE = {"timeout", "rate_limit", "unavailable", "server_error", "auth_expired", "connection_drop", "tool_renamed"}


@pytest.mark.parametrize("calls", [1, 2, 3, 7, 13, 25, 60])
def test_a_task_gets_as_many_faults_for_each_call_as_the_preset_has_and_at_least_one_that_lands(calls: int) -> None:
    share = sum(BUDGET.values()) * calls / TURNS
    for seed in SEEDS:
        found = scaled(BUDGET, TURNS, calls, seed)
        assert found == scaled(BUDGET, TURNS, calls, seed)
        assert all(found.values())
        assert found.keys() & _ANYWHERE
        assert abs(sum(found.values()) - share) <= 2


def test_a_task_as_long_as_the_preset_has_the_preset() -> None:
    assert all(scaled(BUDGET, TURNS, TURNS, seed) == BUDGET for seed in SEEDS)


def test_over_many_trials_each_kind_comes_as_often_as_in_the_preset() -> None:
    total: Counter[str] = Counter()
    for seed in SEEDS:
        total.update(scaled(BUDGET, TURNS, 12, seed))
    for kind, wanted in BUDGET.items():
        assert total[kind] / len(SEEDS) == pytest.approx(wanted * 12 / TURNS, abs=0.12), kind
