"""RFC 3339 as Go's time.Parse reads it, with its error messages.

Source: https://go.dev/src/time/format.go. Like Go, it accepts an hour of one digit and a comma before the fraction.
"""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date

_LAYOUT = "2006-01-02T15:04:05Z07:00"
# The prefix of each element of the layout, and the element.
_ELEMENTS = ((b"", "2006"), (b"-", "01"), (b"-", "02"), (b"T", "15"), (b":", "04"), (b":", "05"), (b"", "Z07:00"))
_RANGES = {
    "01": ("month", range(1, 13)),
    "15": ("hour", range(24)),
    "04": ("minute", range(60)),
    "05": ("second", range(60)),
}
_UNIX_EPOCH = date(1970, 1, 1).toordinal()
_DAYS_IN_400_YEARS = 146_097


@dataclass(frozen=True, slots=True)
class ParsedTime:
    """A time: nanoseconds since 1970, and the wall-clock time of its offset to the minute."""

    nanoseconds: int
    shown: str


class _UnreadableError(Exception):
    """The value does not match the element of the layout."""


class _OutOfRangeError(Exception):
    """The value is well formed but out of range; the argument names the unit."""


def parse_rfc3339(text: str) -> ParsedTime:
    """Parse a time such as 2026-11-20T10:30:00+08:00.

    Raises:
        ValueError: The text is invalid, with Go's message.
    """
    rest = text.encode()
    numbers: dict[str, int] = {}
    nanoseconds = 0
    for prefix, element in _ELEMENTS:
        if not rest.startswith(prefix):
            raise _cannot_parse(text, rest, prefix.decode())
        unread = rest = rest[len(prefix) :]
        try:
            numbers[element], rest = _read(element, rest)
            _check_range(element, numbers[element])
            if element == "05":
                nanoseconds, rest = _fraction(rest)
        except _UnreadableError:
            raise _cannot_parse(text, unread, element) from None
        except _OutOfRangeError as error:
            raise _out_of_range(text, str(error)) from None
    if rest:
        raise ValueError(f"parsing time {_quote(text.encode())}: extra text: {_quote(rest)}")
    year, month, day, hour, minute, second, offset = numbers.values()
    leap_like = year or 400  # Go has a year 0, which is a leap year
    if not 1 <= day <= calendar.monthrange(leap_like, month)[1]:
        raise _out_of_range(text, "day")
    days = date(leap_like, month, day).toordinal() - _UNIX_EPOCH - (0 if year else _DAYS_IN_400_YEARS)
    seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    return ParsedTime(seconds * 10**9 + nanoseconds, f"{year:04d}-{month:02d}-{day:02d} {hour:02d}:{minute:02d}")


def _read(element: str, rest: bytes) -> tuple[int, bytes]:
    if element == "2006":
        if len(rest) < 4 or not rest[:4].isdigit():
            raise _UnreadableError
        return int(rest[:4]), rest[4:]
    if element == "Z07:00":
        return _offset(rest)
    if element == "15" and rest[:1].isdigit() and not rest[1:2].isdigit():
        return int(rest[:1]), rest[1:]
    return _two_digits(rest), rest[2:]


def _two_digits(rest: bytes) -> int:
    if len(rest) < 2 or not rest[:2].isdigit():
        raise _UnreadableError
    return int(rest[:2])


def _offset(rest: bytes) -> tuple[int, bytes]:
    if rest[:1] == b"Z":
        return 0, rest[1:]
    if len(rest) < 6 or rest[3:4] != b":":
        raise _UnreadableError
    hours, minutes = _two_digits(rest[1:]), rest[4:6]
    # Go checks both ranges after it has read all that matches, the minute's last.
    if minutes.isdigit() and int(minutes) > 60:
        raise _OutOfRangeError("time zone offset minute")
    if hours > 24:
        raise _OutOfRangeError("time zone offset hour")
    if not minutes.isdigit() or rest[:1] not in (b"+", b"-"):
        raise _UnreadableError
    seconds = hours * 3600 + int(minutes) * 60
    return (-seconds if rest[:1] == b"-" else seconds), rest[6:]


def _fraction(rest: bytes) -> tuple[int, bytes]:
    """Return the nanoseconds of a fraction, which is not in the layout but accepted by Go."""
    if rest[:1] not in (b".", b",") or not rest[1:2].isdigit():
        return 0, rest
    end = 2
    while rest[end : end + 1].isdigit():
        end += 1
    return int(rest[1:end][:9].ljust(9, b"0")), rest[end:]


def _check_range(element: str, number: int) -> None:
    if element in _RANGES:
        name, allowed = _RANGES[element]
        if number not in allowed:
            raise _OutOfRangeError(name)


def _cannot_parse(text: str, rest: bytes, element: str) -> ValueError:
    shown = f"{_quote(rest)} as {_quote(element.encode())}"
    return ValueError(f"parsing time {_quote(text.encode())} as {_quote(_LAYOUT.encode())}: cannot parse {shown}")


def _out_of_range(text: str, what: str) -> ValueError:
    return ValueError(f"parsing time {_quote(text.encode())}: {what} out of range")


def _quote(value: bytes) -> str:
    """Quote text as Go's package time does, with bytes outside printable ASCII as hexadecimal escapes."""
    written = (
        f"\\x{byte:02x}" if byte >= 0x80 or byte < 0x20 else ("\\" if byte in b'"\\' else "") + chr(byte)
        for byte in value
    )
    return '"' + "".join(written) + '"'
