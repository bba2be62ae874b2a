"""Choices that are the same wherever the library is built, by the name of what is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from soundstage.contexts.engine.ids import drawn

T = TypeVar("T")

_SEED = 0x6D6564


class Draw:
    """What is drawn for one thing. Each draw has a name of its own, so that another one changes none of the others."""

    def __init__(self, name: str) -> None:
        self._name = name

    def below(self, bound: int, what: str) -> int:
        """A number from 0 on, below a bound."""
        return drawn(_SEED, f"{self._name}.{what}") % bound

    def between(self, least: int, most: int, what: str) -> int:
        """A number, both ends included."""
        return least + self.below(most - least + 1, what)

    def of(self, options: Sequence[T], what: str) -> T:
        return options[self.below(len(options), what)]

    def some(self, options: Sequence[T], number: int, what: str) -> list[T]:
        """So many different ones, in an order of their own."""
        left = list(options)
        return [left.pop(self.below(len(left), f"{what}.{i}")) for i in range(min(number, len(left)))]
