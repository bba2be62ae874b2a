"""Sizes in the format of `formatSize` in the server's `lib.js`."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

_UNITS = ("B", "KB", "MB", "GB", "TB")


def format_size(size: int) -> str:
    """Format a size such as `31 B` or `4.88 KB`."""
    unit = min(max(size.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    if unit == 0:
        return f"{max(size, 0)} B"
    amount = Decimal(size) / 1024**unit
    return f"{amount.quantize(Decimal('0.01'), ROUND_HALF_UP)} {_UNITS[unit]}"
