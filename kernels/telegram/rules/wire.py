"""Numbers as they go over the wire: ids of messages, limits and the like are 32 bits wide there.

Source: Telethon 1.x, tl/functions (struct.pack('<i', …)), whose struct.error no tool names
"""

from __future__ import annotations

from soundstage.kernels.telegram.rules.errors import Failed

_RANGE = 2**31


def fits(*numbers: int | None) -> None:
    """Refuse numbers that a request cannot hold; None is one that it leaves out.

    Raises:
        Failed: for the first of them.
    """
    if any(number is not None and not -_RANGE <= number < _RANGE for number in numbers):
        raise Failed("struct.error", "'i' format requires -2147483648 <= number <= 2147483647")
