"""Pairing one to one: which wanted things can have a given one each."""

from __future__ import annotations

from collections.abc import Callable


def paired(wanted: int, given: int, fits: Callable[[int, int], bool]) -> dict[int, int]:
    """As many of the wanted as can be, each with a given one of its own that fits it (augmenting paths; lists here are short)."""
    taken: dict[int, int] = {}

    def place(i: int, tried: set[int]) -> bool:
        for j in range(given):
            if j not in tried and fits(i, j):
                tried.add(j)
                if j not in taken or place(taken[j], tried):
                    taken[j] = i
                    return True
        return False

    for i in range(wanted):
        place(i, set())
    return {i: j for j, i in taken.items()}
