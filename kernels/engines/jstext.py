"""Values as JavaScript writes them into text, for apps whose real server is a JavaScript program."""

from __future__ import annotations

from decimal import Decimal
from typing import Any


def text(value: Any) -> str:
    """What a template literal makes of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, list):
        return ",".join("" if item is None else text(item) for item in value)
    return "[object Object]" if isinstance(value, dict) else str(value)


def number(value: float) -> str:
    """What Number's toString prints."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == int(value) and abs(value) < 1e21:
        return str(int(value) if abs(value) < 2**53 else int(Decimal(repr(float(value)))))
    mantissa, exponent, power = repr(float(value)).partition("e")
    if not exponent:
        return mantissa
    mantissa, power_ = mantissa.removesuffix(".0"), int(power)
    if power_ < -6:
        return f"{mantissa}e{power_}"
    if power_ < 0:  # Python begins with exponents at 1e-05, JavaScript at 1e-7
        sign, digits = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
        return f"{sign}0.{'0' * (-power_ - 1)}{digits.replace('.', '')}"
    return f"{mantissa}e+{power_}"
