"""What a tool must show on calls that nobody has seen, so that it is served as a simulation of the real one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from soundstage.gateway.faults.report import Rate
from soundstage.synthesis.generate.bench import Score


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Shares of held-out calls. Outcome and false positives are those that the best published simulators reach: 0.94, and 1
    refusal of 25 taken for a success. `least` held-out calls make a verdict; one of fewer is *thin*.
    """

    outcome: float = 0.94
    false_positives: float = 0.04
    exact: float = 0.80
    key_paths: float = 0.95
    state: float = 0.95
    episodes: float = 0.85
    least: int = 8

    def plain(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def failings(score: Score, limits: Thresholds) -> list[str]:
    """What a score misses; empty for one that is enough."""
    if not score.cases:
        return ["no held-out call has the tool"]
    found = [
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
        found.append(f"false positives: {_shown(wrong)}, {limits.false_positives:.0%} allowed")
    if score.broken:
        found.append(f"{score.broken} calls raise, or change what they must not")
    return found


def thin(score: Score, limits: Thresholds) -> bool:
    """Whether there are too few held-out calls to say much."""
    return score.cases < limits.least


def _shown(rate: Rate) -> str:
    return f"{rate['count']} of {rate['of']}"


def enough_episodes(agreed: Sequence[bool], limits: Thresholds) -> bool:
    """Whether enough held-out episodes agree to their end."""
    return not agreed or sum(agreed) >= limits.episodes * len(agreed)
