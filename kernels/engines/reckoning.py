"""Arithmetic and unit conversions that users ask for, computed from the fields of a question.

Each function returns the result as text, or None if the fields are not computable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal, DivisionByZero, InvalidOperation, localcontext

Fields = Mapping[str, str]

_TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?|\*\*|[-+*/^()%])")
_SIGNS = str.maketrans({"×": "*", "x": "*", "÷": "/", "，": "", ",": "", "（": "(", "）": ")", "−": "-", "–": "-"})
_FIGURES = 12
_HIGHEST_POWER = 64
_MEASURES = {
    "length": "mm 0.001 cm 0.01 m 1 km 1000 in 0.0254 ft 0.3048 yd 0.9144 mi 1609.344",
    "mass": "g 0.001 kg 1 t 1000 oz 0.028349523125 lb 0.45359237 jin 0.5",
    "volume": "ml 0.001 l 1 gal 3.785411784",
    "time": "s 1 min 60 h 3600 d 86400 wk 604800",
}
_UNITS: Mapping[str, tuple[str, Decimal]] = {
    name: (measure, Decimal(factor))
    for measure, units in _MEASURES.items()
    for name, factor in zip(units.split()[::2], units.split()[1::2], strict=True)
}
_SPELLINGS = (
    "millimeter mm millimetre mm centimeter cm centimetre cm meter m metre m kilometer km kilometre km inch in inche in "
    "foot ft "
    "feet ft yard yd mile mi gram g kilogram kg kilo kg ton t tonne t ounce oz pound lb milliliter ml millilitre ml liter l "
    "litre l gallon gal second s minute min hour h day d week wk "
    "毫米 mm 厘米 cm 米 m 公里 km 千米 km 英寸 in 英尺 ft 码 yd 英里 mi "
    "克 g 公斤 kg "
    "千克 kg 吨 t 盎司 oz 磅 lb 斤 jin 毫升 ml 升 l 加仑 gal 秒 s 分钟 min 小时 h "
    "天 d 周 wk"
)
_SPELT = dict(zip(_SPELLINGS.split()[::2], _SPELLINGS.split()[1::2], strict=True))


def sum_of(fields: Fields) -> str | None:
    """Evaluate `expr`: numbers, + - * / ^ and parentheses."""
    signs, text, at = [], fields["expr"].lower().translate(_SIGNS).rstrip("=? "), 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return None
        signs.append("^" if match[1] == "**" else match[1])
        at = match.end()
    with localcontext() as precise:
        precise.prec = 40
        try:
            reader = _Reader(signs)
            return _written(reader.whole()) if any(sign in "+-*/^" for sign in signs[1:]) else None
        except (IndexError, InvalidOperation, DivisionByZero, OverflowError, ValueError, RecursionError):
            return None


def percent(fields: Fields) -> str | None:
    """Compute `percent` % of `amount`."""
    return _written(Decimal(fields["percent"]) * Decimal(fields["amount"]) / 100)


def converted(fields: Fields) -> str | None:
    """Convert `amount` from the unit `source` to the unit `target`."""
    source, target = _unit(fields["source"]), _unit(fields["target"])
    if source is None or target is None or source[0] != target[0]:
        return None
    return _written(Decimal(fields["amount"]) * source[1] / target[1])


def fahrenheit(fields: Fields) -> str | None:
    """Convert `amount` from degrees Celsius to Fahrenheit."""
    return _written(Decimal(fields["amount"]) * 9 / 5 + 32)


def celsius(fields: Fields) -> str | None:
    """Convert `amount` from degrees Fahrenheit to Celsius."""
    return _written((Decimal(fields["amount"]) - 32) * 5 / 9)


RECKONINGS: Mapping[str, Callable[[Fields], str | None]] = {
    "sum": sum_of,
    "percent": percent,
    "converted": converted,
    "fahrenheit": fahrenheit,
    "celsius": celsius,
}


def _unit(name: str) -> tuple[str, Decimal] | None:
    bare = name.strip().lower()
    for spelling in (bare, bare.removesuffix("s")):
        if (result := _UNITS.get(_SPELT.get(spelling, spelling))) is not None:
            return result
    return None


def _written(value: Decimal) -> str:
    """Format a number with thousands separators and at most four decimals, without trailing zeros."""
    if abs(value) >= Decimal(10) ** _FIGURES * 1000:
        return f"{value:.6e}"
    rounded = value.quantize(Decimal("0.0001")).normalize()
    return f"{rounded:,f}"


class _Reader:
    """Evaluates an expression from left to right with the usual precedence."""

    def __init__(self, signs: list[str]) -> None:
        self._signs = [*signs, ""]
        self._at = 0

    def whole(self) -> Decimal:
        value = self._sum()
        if self._signs[self._at]:
            raise ValueError(self._signs[self._at])
        return value

    def _sum(self) -> Decimal:
        value = self._product()
        while (sign := self._signs[self._at]) in ("+", "-"):
            self._at += 1
            value += self._product() if sign == "+" else -self._product()
        return value

    def _product(self) -> Decimal:
        value = self._power()
        while (sign := self._signs[self._at]) in ("*", "/"):
            self._at += 1
            value = value * self._power() if sign == "*" else value / self._power()
        return value

    def _power(self) -> Decimal:
        value = self._single()
        if self._signs[self._at] == "^":
            self._at += 1
            exponent = self._power()
            if abs(exponent) > _HIGHEST_POWER:
                raise ValueError(exponent)
            return Decimal(value**exponent)
        return value

    def _single(self) -> Decimal:
        sign = self._signs[self._at]
        self._at += 1
        if sign == "-":
            return -self._single()
        if sign == "(":
            value = self._sum()
            if self._signs[self._at] != ")":
                raise ValueError(sign)
            self._at += 1
            return value
        return Decimal(sign)
