"""The criteria on held-out calls by which a tool's kernel is accepted as a simulation of the real tool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from soundstage.gateway.faults.report import Rate
from soundstage.synthesis.generate.bench import JudgedCase, Score


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Thresholds for the shares of held-out calls.

    Outcome and false positives are those of the best published simulators: 0.94, and 1 of 25 rejections taken for a success.
    A verdict with fewer than `least` held-out calls is *thin*.
    """

    outcome: float = 0.94
    false_positives: float = 0.04
    exact: float = 0.80
    key_paths: float = 0.95
    state: float = 0.95
    episodes: float = 0.85
    least: int = 8

    def as_json(self) -> dict[str, Any]:
        """Return the thresholds as JSON data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def unmet_criteria(score: Score, limits: Thresholds) -> list[str]:
    """Return the criteria that a score does not meet; empty if it is sufficient."""
    if not score.cases:
        return ["no held-out call has the tool"]
    result = [
        f"{name}: {_shown(rate)}, {least:.0%} needed"
        for name, rate, least in (
            ("outcome", score.outcome, limits.outcome),
            ("exact", score.exact, limits.exact),
            ("key paths", score.key_paths, limits.key_paths),
            ("state", score.state, limits.state),
        )
        if rate["rate"] is not None and rate["rate"] < least
    ]
    wrong = score.false_positives
    if wrong["rate"] is not None and wrong["rate"] > limits.false_positives:
        result.append(f"false positives: {_shown(wrong)}, {limits.false_positives:.0%} allowed")
    if score.broken:
        result.append(f"{score.broken} calls raise, or change what they must not")
    return result


def unproven_effect(own: Sequence[JudgedCase], after: Sequence[JudgedCase], limits: Thresholds) -> list[str]:
    """Return the reasons for which a writing tool's effect is unproven.

    `found` are the tool's own calls, `after` later reads. If the state after a successful call is unknown, these reads have to
    show the effect; a right reply alone proves nothing.
    """
    if any(one.state is not None for one in own if one.case.expect.ok):
        return []
    if not after:
        return [
            "nothing shows what it changes: no state is known after it, and no read that is answered rightly itself"
        ]
    right = sum(one.agrees for one in after)
    return (
        []
        if right >= limits.state * len(after)
        else [f"reads after it: {right} of {len(after)}, {limits.state:.0%} needed"]
    )


def reasons(why: Sequence[str], most: int = 90) -> str:
    """Return the first reason for rejecting a tool, within `most` characters, and the number of further ones."""
    if not why:
        return ""
    first = why[0] if len(why[0]) <= most else why[0][: most - 1] + "…"
    return first if len(why) == 1 else f"{first} (and {len(why) - 1} more)"


def thin(score: Score, limits: Thresholds) -> bool:
    """Whether there are too few held-out calls to say much."""
    return score.cases < limits.least


def _shown(rate: Rate) -> str:
    return f"{rate['count']} of {rate['of']}"


def enough_episodes(agreed: Sequence[bool], limits: Thresholds) -> bool:
    """Whether enough held-out episodes agree completely; False without episodes."""
    return bool(agreed) and sum(agreed) >= limits.episodes * len(agreed)
