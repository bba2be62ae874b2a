"""A preset's budget of faults, for tasks of other lengths than the preset has in mind."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from math import ceil
from random import Random
from typing import Any

from soundstage.contexts.engine.ids import keyed_digest
from soundstage.gateway.faults.kinds import KINDS


def in_proportion(document: Mapping[str, Any], calls: int, seed: int) -> dict[str, Any]:
    """A schedule for a task that takes so many calls. Its budget is due within those, so that whoever does the task meets all of
    it; kinds that nothing is left of are gone from the rules, for what has no budget strikes whatever it fits.
    """
    budget = document.get("budget")
    if not budget:
        return dict(document)
    calls = max(1, calls)
    kept = scaled(budget, document["turns"], calls, seed)
    rules = [rule for rule in document["rules"] if rule["fault"] in kept or rule["fault"] not in budget]
    return {**document, "rules": rules, "budget": kept, "turns": max(calls, *kept.values())}


def scaled(budget: Mapping[str, int], turns: int, calls: int, seed: int) -> dict[str, int]:
    """What of a budget for so many `turns` falls to a task that takes `calls`: as many faults for each call, but never none.

    The whole budget in a short task would strike every call more often than anybody tries it. Which kinds it is to be is drawn
    from the trial's seed, each as often as the budget has it; one of them can strike whatever call it meets.
    """
    chance = Random(keyed_digest(seed, "budget", 0))  # noqa: S311 seeded on purpose
    anywhere = [kind for kind in budget if KINDS[kind].replaces and KINDS[kind].effects is None]
    order = [
        kind for some in (anywhere, [k for k in budget if k not in anywhere]) for kind in chance.sample(some, len(some))
    ]
    # Systematic sampling: every kind gets its share rounded up or down, and all together theirs.
    offset = chance.random()
    ends = [ceil(end * calls / turns - offset) for end in accumulate(budget[kind] for kind in order)]
    found = {kind: end - start for kind, start, end in zip(order, [ceil(-offset), *ends[:-1]], ends, strict=True)}
    if anywhere and not any(found[kind] for kind in anywhere):
        found = dict.fromkeys(found, 0) | {order[0]: 1} if sum(found.values()) <= 1 else found | {order[0]: 1}
    return {kind: number for kind, number in found.items() if number}
