"""Fault presets scaled to tasks of other lengths: as many faults per call, the same for every agent, and at least one."""

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
def test_a_task_gets_the_presets_faults_per_call_and_at_least_one_that_lands(calls: int) -> None:
    share = sum(BUDGET.values()) * calls / TURNS
    for seed in SEEDS:
        budget = scaled(BUDGET, TURNS, calls, seed)
        assert budget == scaled(BUDGET, TURNS, calls, seed)
        assert all(budget.values())
        assert budget.keys() & _ANYWHERE
        assert abs(sum(budget.values()) - share) <= 2


def test_a_task_with_the_presets_length_gets_its_budget() -> None:
    assert all(scaled(BUDGET, TURNS, TURNS, seed) == BUDGET for seed in SEEDS)


def test_over_many_trials_each_kind_is_as_frequent_as_in_the_preset() -> None:
    total: Counter[str] = Counter()
    for seed in SEEDS:
        total.update(scaled(BUDGET, TURNS, 12, seed))
    for kind, wanted in BUDGET.items():
        assert total[kind] / len(SEEDS) == pytest.approx(wanted * 12 / TURNS, abs=0.12), kind
