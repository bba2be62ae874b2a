"""Prompt levels: how much of the recording a generator sees.

Measuring lower levels on the same calls shows the value of each kind of recorded call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from soundstage.synthesis.traverse.recording import Intent

PromptLevel = Literal["schema", "seeds", "adversarial", "sequences", "accepted"]
LEVELS: Mapping[PromptLevel, str] = {
    "schema": "the tools' schemas, no call",
    "seeds": "and calls that succeeded as they were meant to",
    "adversarial": "and refusals: of changed calls, and of calls that came too early",
    "sequences": "and what a second time does, and what is left after something was taken away",
    "accepted": "and calls that were meant to fail and were done all the same: all there is",
}
"""The levels, each with its addition to the previous ones."""
ALL: PromptLevel = "accepted"
_ORDER = tuple(LEVELS)


def level_of(intent: Intent, *, done: bool) -> PromptLevel:
    """Return the lowest prompt level that includes a call."""
    if intent.kind == "sequence" or intent.goal.kind == "sequence":
        return "sequences"
    if not done:
        return "adversarial"
    return "accepted" if intent.is_adversarial else "seeds"


def includes(knowing: PromptLevel, level: PromptLevel) -> bool:
    """Whether a prompt level knows the content of another."""
    return _ORDER.index(level) <= _ORDER.index(knowing)


def levels_down(knowing: PromptLevel) -> list[PromptLevel]:
    """Return this level and the lower ones, the highest first."""
    return list(_ORDER[: _ORDER.index(knowing) + 1])[::-1]
