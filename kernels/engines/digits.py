"""Numbers written with any number of digits."""

from __future__ import annotations

import unicodedata

_MOST_DIGITS = 4000
"""Digits that `int` always converts; it raises ValueError for more than 4,300."""


def bounded_integer(digits: str, most: int) -> int:
    """Return the integer that decimal digits of any script represent, or `most` + 1 if it is larger."""
    if len(digits) > _MOST_DIGITS:
        digits = "".join(str(unicodedata.decimal(digit)) for digit in digits).lstrip("0")[: len(str(most)) + 1] or "0"
    return min(int(digits), most + 1)
