"""Scale a preset's fault budget to the length of a task."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from math import ceil
from random import Random
from typing import Any

from soundstage.contexts.engine.ids import keyed_digest
from soundstage.gateway.faults.kinds import KINDS


def in_proportion(document: Mapping[str, Any], calls: int, seed: int) -> dict[str, Any]:
    """Scale a schedule to a task with this number of calls.

    The budget is spread over these calls, so that every agent meets all of it. Rules for kinds without remaining budget are
    removed, because a rule without a budget would apply to every matching call.
    """
    budget = document.get("budget")
    if not budget:
        return dict(document)
    calls = max(1, calls)
    budgets = scaled(budget, document["turns"], calls, seed)
    rules = [rule for rule in document["rules"] if rule["fault"] in budgets or rule["fault"] not in budget]
    return {**document, "rules": rules, "budget": budgets, "turns": max(calls, *budgets.values())}


def scaled(budget: Mapping[str, int], turns: int, calls: int, seed: int) -> dict[str, int]:
    """Scale a budget for `turns` calls to a task with `calls` calls, in proportion but at least one fault.

    The whole budget in a short task would affect calls more often than an agent retries. The kinds are drawn from the trial's
    seed with the budget's frequencies; at least one of them can affect any call.
    """
    chance = Random(keyed_digest(seed, "budget", 0))  # noqa: S311 seeded on purpose
    anywhere = [kind for kind in budget if KINDS[kind].replaces and KINDS[kind].effects is None]
    order = [
        kind for some in (anywhere, [k for k in budget if k not in anywhere]) for kind in chance.sample(some, len(some))
    ]
    # Systematic sampling: every kind gets its share rounded up or down, and the total is exact.
    offset = chance.random()
    ends = [ceil(end * calls / turns - offset) for end in accumulate(budget[kind] for kind in order)]
    result = {kind: end - start for kind, start, end in zip(order, [ceil(-offset), *ends[:-1]], ends, strict=True)}
    if anywhere and not any(result[kind] for kind in anywhere):
        result = dict.fromkeys(result, 0) | {order[0]: 1} if sum(result.values()) <= 1 else result | {order[0]: 1}
    return {kind: number for kind, number in result.items() if number}
