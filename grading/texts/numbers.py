"""Parse numbers in text: 1,150, 1150, 1.15k, 一千一百五十, 六点二五, ninety-six, 3.5万, and sums of money: 二十三块四."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10_000, "亿": 100_000_000}
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "万": 1e4, "亿": 1e8, "千": 1e3, "百": 1e2}
_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = {w: n for n, w in enumerate(_ONES)} | {w: 10 * n for n, w in enumerate(_TENS, start=2)}

# Units written after a number without a space: 14.5kg, 24h.
_MEASURES = "kg|g|mg|km|cm|mm|ml|ms|mins?|hrs?|h|fps|k?hz|[kmg]b|kwh?|rpm|px|rmb|usd|eur|cny"

_ONE = "[零〇一二三四五六七八九]"
# Tenths and hundredths of a sum: 23 块 4, 六十一块两毛七; but not pieces of something: 三块四寸, 两块两个人.
_CHANGE = re.compile(
    r" ?块 ?(?P<tenths>\d|[零〇一二两三四五六七八九])(?![\d十百千万])"
    r"(?: ?[毛角] ?(?:(?P<hundredths>\d|[一二两三四五六七八九]) ?分?)?)?"
    r"(?=$|[^\w]|钱|[的了多整是也和共])"
)

_WRITTEN = re.compile(
    r"(?<![a-zà-ÿ\d_.])(?!(?<=\d,)(?<!\.\d,)(?<!\.\d\d,)(?<!\.\d\d\d,)\d{3}(?!\d))"  # no digit group continues after 61.27,
    r"(?P<sign>(?<!\w)[-+]|)(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?P<part>\.\d+)?"
    rf"(?:\s?(?!(?:{_MEASURES})(?![a-z0-9]))(?P<scale>k|m|thousand|million|万|亿|千|百))?"
    rf"(?:(?![a-z0-9]|\.\d)|(?=(?:{_MEASURES})(?![a-z0-9])))"
    rf"|(?P<chinese>[零〇一二两三四五六七八九十百千万亿]+)(?:点(?P<behind>{_ONE}+)(?![十分刻]))?"
    r"|(?<![a-z])(?P<word>" + "|".join([*_TENS, *_ONES]) + r")(?:[- ](?P<one>" + "|".join(_ONES[1:10]) + r"))?"
    r"(?P<hundred> hundred)?(?![a-z])"
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text, with its value and position."""

    value: float
    start: int
    end: int


def numbers(text: str) -> Iterator[Number]:
    """Yield the numbers of a plain text, in order."""
    read = 0
    for match in _WRITTEN.finditer(text):
        value = _value(match)
        if value is None or match.start() < read:
            continue
        change = _CHANGE.match(text, match.end())
        if change is None:
            yield Number(value, *match.span())
        else:
            read = change.end()
            yield Number(round(value + _change(change), 2), match.start(), read)


def number_of(value: object) -> float | None:
    """Return the number in a cell that is a number or a text with nothing but one."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str):
        text = value.strip().casefold()
        result = list(numbers(text))
        if len(result) == 1 and (result[0].start, result[0].end) == (0, len(text)):
            return result[0].value
    return None


def _value(match: re.Match[str]) -> float | None:
    if match["digits"]:
        value = float(match["digits"].replace(",", "") + (match["part"] or ""))
        return (-value if match["sign"] == "-" else value) * _scale(match)
    if match["chinese"]:
        if not match["behind"]:
            return _chinese(match["chinese"])
        whole = float(_chinese_digits(match["chinese"])) if match["chinese"] in "零一" else _chinese(match["chinese"])
        if whole is None or math.isinf(whole):
            return None
        return float(f"{whole:.0f}.{_chinese_digits(match['behind'])}")
    tens = _WORDS[match["word"]]
    value = float(tens + (_WORDS[match["one"]] if match["one"] and tens >= 20 else 0))
    return value * 100 if match["hundred"] else value


def _scale(match: re.Match[str]) -> float:
    """Return the factor of a suffix: 1.15k is 1150; a separate m, or one before a slash, is metres: "1.10 m", "0.53m/s"."""
    scale = match["scale"] or ""
    apart = match.string[match.start("scale") - 1] == " " if scale else False
    if scale in ("k", "m") and (apart or match.string.startswith("/", match.end())):
        return 1.0
    return _SCALES.get(scale, 1.0)


def _chinese(written: str) -> float | None:
    """Parse 一千一百五十 as 1150 and 二〇二六 digit by digit; 一 alone is more often a word than a number."""
    if not any(c in _UNITS or c in _MYRIADS for c in written):
        if len(written) == 1 and written in "一零":
            return None
        return float(_chinese_digits(written))
    if not any(c in _DIGITS for c in written) and written[0] != "十":
        return None
    total = section = digit = 0
    for c in written:
        if c in _DIGITS:
            digit = _DIGITS[c]
        elif c in _UNITS:
            section += (digit or 1) * _UNITS[c]
            digit = 0
        else:
            total += (section + digit) * _MYRIADS[c]
            section = digit = 0
    return float(total + section + digit)


def _chinese_digits(written: str) -> str:
    return "".join(str(_DIGITS[c]) for c in written)


def _change(match: re.Match[str]) -> float:
    """Return the fraction after 块: 四 is 0.4, 两毛七 is 0.27."""
    tenths, hundredths = (
        _DIGITS.get(c) if c in _DIGITS else int(c) for c in (match["tenths"], match["hundredths"] or "0")
    )
    return (tenths or 0) / 10 + (hundredths or 0) / 100
