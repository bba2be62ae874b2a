"""Choices that are the same in every build of the library, derived from the name of the choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from soundstage.contexts.engine.ids import drawn

T = TypeVar("T")

_SEED = 0x6D6564


class Draw:
    """The choices for one thing. Each has its own name, so that an additional choice does not change the others."""

    def __init__(self, name: str) -> None:
        self._name = name

    def below(self, bound: int, what: str) -> int:
        """A number from 0 on, below a bound."""
        return drawn(_SEED, f"{self._name}.{what}") % bound

    def between(self, least: int, most: int, what: str) -> int:
        """A number, both ends included."""
        return least + self.below(most - least + 1, what)

    def of(self, options: Sequence[T], what: str) -> T:
        """Return one of the options."""
        return options[self.below(len(options), what)]

    def some(self, options: Sequence[T], number: int, what: str) -> list[T]:
        """Return `number` different options in a drawn order."""
        left = list(options)
        return [left.pop(self.below(len(left), f"{what}.{i}")) for i in range(min(number, len(left)))]
