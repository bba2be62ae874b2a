"""How much a generator is told of what was recorded. Telling it less, and measuring on the same calls, shows what each kind of
recorded call is worth.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from soundstage.synthesis.traverse.pool import Intent

Knowing = Literal["schema", "seeds", "adversarial", "sequences", "accepted"]
LEVELS: Mapping[Knowing, str] = {
    "schema": "the tools' schemas, no call",
    "seeds": "and calls that succeeded as they were meant to",
    "adversarial": "and refusals: of changed calls, and of calls that came too early",
    "sequences": "and what a second time does, and what is left after something was taken away",
    "accepted": "and calls that were meant to fail and were done all the same: all there is",
}
"""The levels, each with what it adds to those before it."""
ALL: Knowing = "accepted"
_ORDER = tuple(LEVELS)


def level_of(intent: Intent, *, done: bool) -> Knowing:
    """The least that a generator has to know to be shown a call."""
    if intent.kind == "sequence" or intent.goal.startswith("sequence:"):
        return "sequences"
    if not done:
        return "adversarial"
    return "accepted" if intent.adverse else "seeds"


def knows(knowing: Knowing, level: Knowing) -> bool:
    """Whether what belongs to a level is told to somebody who knows so much."""
    return _ORDER.index(level) <= _ORDER.index(knowing)


def known_first(knowing: Knowing) -> list[Knowing]:
    """This level and those before it, the last first."""
    return list(_ORDER[: _ORDER.index(knowing) + 1])[::-1]
