"""Assign sessions to processes that share an address, by a rule that each process can evaluate alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from zlib import crc32

_OF_A_SEAT = re.compile(r"([0-9a-f]{4})\..+")


def share_of(handle: str, of: int) -> int:
    """Return the number of the process, out of `of`, that owns a handle."""
    return _place_of(handle) % of


def new_seat_handle(of: str) -> str:
    """Create a handle for a seat in the session of this handle, owned by the same process.

    It begins with the session's process hash. That reveals 16 bits of a random handle; 128 bits stay secret.
    """
    import secrets

    return f"{_place_of(of):04x}.{secrets.token_urlsafe(18)}"


def _place_of(handle: str) -> int:
    seat = _OF_A_SEAT.fullmatch(handle)
    return crc32(handle.encode()) & 0xFFFF if seat is None else int(seat[1], 16)


@dataclass(frozen=True, slots=True)
class Share:
    """The part of all handles that one process owns: number `index` of `of`."""

    index: int = 0
    of: int = 1

    def owns(self, handle: str) -> bool:
        """Whether a handle's session belongs to this process."""
        return share_of(handle, self.of) == self.index
