"""JavaScript's values and operators: numbers, strings and their conversions.

JSON values represent themselves. A number is an `int` if it is whole and JavaScript prints it without an exponent, otherwise a
`float`. String lengths and indices count UTF-16 units.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

SPACES: Final = " \t\n\r\v\f\xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
r"""The characters that `trim` removes and `\s` matches."""


class Undefined:
    """The type of `UNDEFINED`, the value of a missing member."""

    def __bool__(self) -> bool:
        """Return False: `undefined` is falsy."""
        return False


UNDEFINED: Final = Undefined()

_NUMBER = re.compile(r"[+-]?(?:Infinity|[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)")
_LITERALS = {"0x": 16, "0o": 8, "0b": 2}
_INTEGER_TEXT = 10**21  # numbers from here on are printed with an exponent


def number(value: float) -> int | float:
    """Return a number as a double; whole numbers become `int`."""
    try:
        double = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    if math.isfinite(double) and double.is_integer() and abs(double) < _INTEGER_TEXT:
        digits, point = _figures(abs(double))
        return int(digits.ljust(point, "0")[:point] or "0") * (-1 if double < 0 else 1)
    return double


def is_number(value: Any) -> bool:
    """Return whether a value has the type `number`."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def number_text(value: float) -> str:
    """Return a number as `String` prints it."""
    value = number(value)
    if isinstance(value, int):
        return str(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    figures, point = _figures(abs(value))
    if 0 < point <= 21:
        text = f"{figures[:point]}.{figures[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{figures}"
    else:
        text = f"{figures[0]}{'.' if figures[1:] else ''}{figures[1:]}e{point - 1:+d}"
    return "-" + text if value < 0 else text


def _figures(value: float) -> tuple[str, int]:
    """Return the shortest digits of a positive number and the position of its decimal point."""
    mantissa, _, exponent = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    figures = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(figures))
    return figures.rstrip("0"), point


def text(value: Any) -> str:
    """Return `String(value)`."""
    if value is UNDEFINED:
        return "undefined"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_number(value):
        return number_text(value)
    if isinstance(value, list):
        return ",".join("" if item is None or item is UNDEFINED else text(item) for item in value)
    return value if isinstance(value, str) else "[object Object]"


def to_number(value: Any) -> float:
    """Return `Number(value)`."""
    if value is UNDEFINED:
        return math.nan
    if value is None or isinstance(value, bool):
        return int(value or 0)
    if is_number(value):
        return number(value)
    written = text(value).strip(SPACES)
    if not written:
        return 0
    base = _LITERALS.get(written[:2].lower())
    if base is not None:
        digits = written[2:]
        return (
            number(int(digits, base)) if re.fullmatch(r"[0-9a-zA-Z]+", digits) and _has_base(digits, base) else math.nan
        )
    return _parsed(written) if _NUMBER.fullmatch(written) else math.nan


def parse_float(value: Any) -> float:
    """Return `parseFloat(value)`: the number at the start of its text."""
    match = _NUMBER.match(text(value).lstrip(SPACES))
    return _parsed(match[0]) if match else math.nan


def type_of(value: Any) -> str:
    """Return `typeof value`."""
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, bool):
        return "boolean"
    if is_number(value):
        return "number"
    return "string" if isinstance(value, str) else "object"


def is_true(value: Any) -> bool:
    """Return `Boolean(value)`: objects and lists are true even if they are empty."""
    if isinstance(value, float) and math.isnan(value):
        return False
    return isinstance(value, dict | list) or bool(value)


def same(left: Any, right: Any) -> bool:
    """Return `left === right`: an object is only equal to itself."""
    if is_number(left) and is_number(right):
        return bool(left == right)
    if isinstance(left, dict | list) or isinstance(right, dict | list):
        return left is right
    return type(left) is type(right) and left == right


def equal(left: Any, right: Any) -> bool:
    """Return `left == right`, with JavaScript's coercions."""
    nothing = (None, UNDEFINED)
    if left in nothing or right in nothing:
        return left in nothing and right in nothing
    composite = isinstance(left, dict | list), isinstance(right, dict | list)
    if all(composite):
        return left is right
    if composite[0]:
        left = text(left)
    if composite[1]:
        right = text(right)
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    return to_number(left) == to_number(right)


def less(left: Any, right: Any, *, or_equal: bool = False) -> bool:
    """Return `left < right`, or `left <= right` if `or_equal` is set."""
    left, right = (text(v) if isinstance(v, dict | list) else v for v in (left, right))
    if isinstance(left, str) and isinstance(right, str):
        return utf16_order(left) <= utf16_order(right) if or_equal else utf16_order(left) < utf16_order(right)
    a, b = to_number(left), to_number(right)
    return a <= b if or_equal else a < b


def utf16_order(value: str) -> bytes:
    """Return the sort key of a text: its UTF-16 units."""
    return value.encode("utf-16-be", "surrogatepass")


def utf16_length(value: str) -> int:
    """Return the length of a text in UTF-16 units."""
    return len(value) + sum(1 for character in value if character > "\uffff")


def utf16_slice(value: str, start: int, end: int) -> str:
    """Return `value.slice(start, end)`; a split surrogate pair leaves a lone surrogate, as in JavaScript."""
    if value.isascii():
        return (
            value[start:end] if start >= 0 and end >= 0 else value[_place(start, len(value)) : _place(end, len(value))]
        )
    units = value.encode("utf-16-le", "surrogatepass")
    size = len(units) // 2
    return units[2 * _place(start, size) : 2 * max(_place(end, size), 0)].decode("utf-16-le", "surrogatepass")


def members(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object's members in JavaScript's order: array indices ascending, then the others in insertion order."""
    indices = sorted((name for name in value if _is_index(name)), key=int)
    return {name: value[name] for name in (*indices, *(n for n in value if not _is_index(n)))} if indices else value


def plain(value: Any) -> Any:
    """Return a value after `JSON.stringify` and `json.loads`: NaN, infinities and UNDEFINED in lists become null."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in members(value).items() if item is not UNDEFINED}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if is_number(value):
        return number(value) if math.isfinite(value) else None
    return None if value is UNDEFINED else value


def indented(value: Any) -> str:
    """Return `JSON.stringify(value, null, 2)`."""
    return _indented(plain(value), "")


def _indented(value: Any, indent: str) -> str:
    below = f"\n{indent}  "
    if isinstance(value, dict) and value:
        lines = [f"{_quoted(name)}: {_indented(item, indent + '  ')}" for name, item in value.items()]
        return "{" + below + f",{below}".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and value:
        return "[" + below + f",{below}".join(_indented(item, indent + "  ") for item in value) + f"\n{indent}]"
    if isinstance(value, str):
        return _quoted(value)
    return number_text(value) if is_number(value) else json.dumps(value)


def _quoted(value: str) -> str:
    quoted = json.dumps(value, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda lone: f"\\u{ord(lone[0]):x}", quoted)


def _is_index(name: str) -> bool:
    """Return whether a member's name is an array index, which objects list first."""
    return (
        name.isascii()
        and name.isdigit()
        and len(name) <= 10
        and (name == "0" or name[0] != "0")
        and int(name) < 2**32 - 1
    )


def _parsed(written: str) -> float:
    return number(float(written.replace("Infinity", "inf")))


def _has_base(digits: str, base: int) -> bool:
    return all(int(digit, 36) < base for digit in digits)


def _place(index: int, size: int) -> int:
    return max(size + index, 0) if index < 0 else index
