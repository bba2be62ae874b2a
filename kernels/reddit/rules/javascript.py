"""Texts and numbers as the server's JavaScript handles them."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

_SPACE = "\t\n\v\f\r \xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"


def trim(text: str) -> str:
    """`String.prototype.trim`."""
    return text.strip(_SPACE)


def cut(text: str, longest: int, kept: int) -> str:
    """A text of more than `longest` UTF-16 units becomes its first `kept` and three dots."""
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) <= 2 * longest:
        return text
    return units[: 2 * kept].decode("utf-16-le", "replace") + "..."


def fixed(value: float | None, digits: int) -> str:
    """`Number.prototype.toFixed`; None is undefined, and what is counted with it is no number."""
    return "NaN" if value is None else str(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def divided(value: float, by: float) -> float:
    """`value / by`, which is defined for a divisor of zero too."""
    if by == 0:
        return float("nan") if value == 0 else float("inf") if value > 0 else float("-inf")
    return value / by
