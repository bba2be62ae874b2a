"""Which of several processes beside each other a session belongs to: a rule that each of them can work out alone."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32


def share_of(handle: str, of: int) -> int:
    """The number of the process, of so many, that a handle belongs to."""
    return crc32(handle.encode()) % of


@dataclass(frozen=True, slots=True)
class Share:
    """The part of all handles that belongs to one process: number `index` of `of`."""

    index: int = 0
    of: int = 1

    def owns(self, handle: str) -> bool:
        return share_of(handle, self.of) == self.index
