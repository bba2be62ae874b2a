"""One-to-one matching of required and given items."""

from __future__ import annotations

from collections.abc import Callable


def paired(wanted: int, given: int, fits: Callable[[int, int], bool]) -> dict[int, int]:
    """Return a maximum matching of required to given items by augmenting paths; the lists are short."""
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
