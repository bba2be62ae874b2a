"""Reproducible randomness: drawn from a keyed BLAKE2 of the world's seed and a name, with integer arithmetic only.

It uses neither `random` nor `math`, whose results may differ between Python versions and C libraries in the last bit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
_BITS = 1 << 64


class Draw:
    """A stream of chance that depends on nothing but the seed and the labels."""

    __slots__ = ("_block", "_key", "_label", "_pool")

    def __init__(self, seed: int, *labels: str | int) -> None:
        self._key = seed.to_bytes(16, "big", signed=True)
        self._label = "\x00".join(str(label) for label in labels).encode()
        self._block = 0
        self._pool: list[int] = []

    def below(self, bound: int) -> int:
        """A whole number from 0 to `bound` - 1."""
        if not self._pool:
            digest = hashlib.blake2b(
                self._label + self._block.to_bytes(4, "big"), key=self._key, digest_size=64
            ).digest()
            self._pool = [int.from_bytes(digest[i : i + 8], "big") for i in range(0, 64, 8)]
            self._block += 1
        return self._pool.pop() * bound // _BITS

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def percent(self, share: int) -> bool:
        """True in `share` of 100 cases."""
        return self.below(100) < share

    def choice(self, values: Sequence[T]) -> T:
        """Return one of the values, each with the same probability."""
        return values[self.below(len(values))]

    def weighted(self, choices: Sequence[tuple[T, int]]) -> T:
        """One of (value, weight)."""
        at = self.below(sum(weight for _, weight in choices))
        for value, weight in choices:
            at -= weight
            if at < 0:
                return value
        raise AssertionError("unreachable: the weights were summed above")

    def shuffled(self, values: Sequence[T]) -> list[T]:
        """Return the values in random order."""
        rest = list(values)
        for last in range(len(rest) - 1, 0, -1):
            other = self.below(last + 1)
            rest[last], rest[other] = rest[other], rest[last]
        return rest

    def sample(self, values: Sequence[T], size: int) -> list[T]:
        """`size` different ones (all of them where there are fewer), in their own order."""
        if size >= len(values):
            return list(values)
        chosen = sorted(self.shuffled(range(len(values)))[:size])
        return [values[i] for i in chosen]

    def from_steps(self, steps: Sequence[tuple[int, int]]) -> int:
        """A number from (percent, value) steps: a distribution by its percentiles, straight between them."""
        at = self.below(100_000)
        low_share, low = 0, steps[0][1]
        for share, value in steps:
            if at < share * 1000:
                span = (share - low_share) * 1000
                return low + (value - low) * (at - low_share * 1000) // span if span else value
            low_share, low = share, value
        return low
