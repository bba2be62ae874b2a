"""Numbers in requests: message ids, limits and the like have 32 bits, ids of emoji 64.

Source: Telethon 1.x, tl/functions (struct.pack), whose struct.error no tool names
"""

from __future__ import annotations

from soundstage.kernels.telegram.rules.errors import Failed

_FORMATS = {32: "i", 64: "q"}


def fits(*numbers: int | None, bits: int = 32) -> None:
    """Require that numbers fit into a request; None is omitted from it.

    Raises:
        Failed: For the first number that does not fit.
    """
    end = 1 << (bits - 1)
    if any(number is not None and not -end <= number < end for number in numbers):
        raise Failed("struct.error", f"'{_FORMATS[bits]}' format requires {-end} <= number <= {end - 1}")
