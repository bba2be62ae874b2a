"""Texts and numbers as the server's JavaScript handles them."""

from __future__ import annotations

_SPACE = "\t\n\v\f\r \xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"


def trim(text: str) -> str:
    """Return `String.prototype.trim` of a text."""
    return text.strip(_SPACE)


def cut(text: str, longest: int, prefix_length: int) -> str:
    """Shorten a text of more than `longest` UTF-16 units to its first `kept` units and three dots."""
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) <= 2 * longest:
        return text
    return units[: 2 * prefix_length].decode("utf-16-le", "replace") + "..."


def to_fixed(value: float | None, digits: int) -> str:
    """Return `Number.prototype.toFixed`: the exact value rounded, halves away from zero.

    None represents undefined, which becomes "NaN".
    """
    if value is None:
        return "NaN"
    over, under = abs(value).as_integer_ratio()
    whole, rest = divmod((2 * over * 10**digits + under) // (2 * under), 10**digits)
    return f"{'-' if value < 0 else ''}{whole}.{rest:0{digits}}"


def divide(value: float, by: float) -> float:
    """Return `value / by`, which JavaScript also defines for zero."""
    if by == 0:
        return float("nan") if value == 0 else float("inf") if value > 0 else float("-inf")
    return value / by
