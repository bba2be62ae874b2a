"""The text of a recurrence rule: RECUR of RFC 5545 (https://datatracker.ietf.org/doc/html/rfc5545#section-3.3.10).

Calendars and tasks repeat by day, week, month or year; rules by hour, minute or second are rejected.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time

_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_DAY = re.compile(rf"([+-]?\d{{1,2}})?({'|'.join(_WEEKDAYS)})", re.ASCII)
_UNTIL = re.compile(r"(\d{8})(?:T(\d{6})(Z?))?", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d{1,4}", re.ASCII)
# Part: the lowest and the highest number; days of the month, of the year and of sets also count from the end.
_RANGES = {
    "BYSECOND": (0, 59),
    "BYMINUTE": (0, 59),
    "BYHOUR": (0, 23),
    "BYMONTHDAY": (1, 31),
    "BYYEARDAY": (1, 366),
    "BYWEEKNO": (1, 53),
    "BYMONTH": (1, 12),
    "BYSETPOS": (1, 366),
}
_FROM_THE_END = ("BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS")
# Part: the frequencies that it cannot be combined with.
_NOT_WITH = {
    "BYMONTHDAY": ("WEEKLY",),
    "BYYEARDAY": ("DAILY", "WEEKLY", "MONTHLY"),
    "BYWEEKNO": ("DAILY", "WEEKLY", "MONTHLY"),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """A parsed rule.

    Negative numbers count from the end; a weekday is (its number in the period or 0, 0 to 6).
    """

    frequency: str
    interval: int = 1
    count: int | None = None
    until: datetime | None = None
    week_start: int = 0
    weekdays: tuple[tuple[int, int], ...] = ()
    months: tuple[int, ...] = ()
    month_days: tuple[int, ...] = ()
    year_days: tuple[int, ...] = ()
    week_numbers: tuple[int, ...] = ()
    hours: tuple[int, ...] = ()
    minutes: tuple[int, ...] = ()
    seconds: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()


def parse(text: str) -> Rule:
    """Parse a rule such as `FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10`.

    Raises:
        ValueError: A part is invalid; the message names it.
    """
    parts = _parts(text.upper())
    frequency = parts.pop("FREQ", "")
    if frequency not in _FREQUENCIES:
        raise ValueError(f"FREQ must be one of {', '.join(_FREQUENCIES)}")
    if "COUNT" in parts and "UNTIL" in parts:
        raise ValueError("COUNT and UNTIL cannot be set at the same time")
    for part, frequencies in _NOT_WITH.items():
        if part in parts and frequency in frequencies:
            raise ValueError(f"{part} cannot be set with FREQ={frequency}")
    if "BYSETPOS" in parts and not any(part.startswith("BY") and part != "BYSETPOS" for part in parts):
        raise ValueError("BYSETPOS needs another BY part")
    numbers = {part: _numbers(part, parts.pop(part, None)) for part in _RANGES}
    rule = Rule(
        frequency=frequency,
        interval=_positive("INTERVAL", parts.pop("INTERVAL", "1")),
        count=_positive("COUNT", parts.pop("COUNT")) if "COUNT" in parts else None,
        until=_until(parts.pop("UNTIL")) if "UNTIL" in parts else None,
        week_start=_weekday(parts.pop("WKST", "MO")),
        weekdays=_weekdays(parts.pop("BYDAY", None), frequency, bool(numbers["BYWEEKNO"])),
        months=numbers["BYMONTH"],
        month_days=numbers["BYMONTHDAY"],
        year_days=numbers["BYYEARDAY"],
        week_numbers=numbers["BYWEEKNO"],
        hours=numbers["BYHOUR"],
        minutes=numbers["BYMINUTE"],
        seconds=numbers["BYSECOND"],
        positions=numbers["BYSETPOS"],
    )
    if parts:
        raise ValueError(f"unknown part {next(iter(parts))}")
    return rule


def _parts(text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for pair in text.split(";"):
        name, equals, value = pair.partition("=")
        if not name or not equals or not value:
            raise ValueError(f"{pair!r} is not NAME=VALUE")
        if name in parts:
            raise ValueError(f"{name} is set twice")
        parts[name] = value
    return parts


def _positive(part: str, value: str) -> int:
    if not _NUMBER.fullmatch(value) or int(value) < 1:
        raise ValueError(f"{part} must be a number from 1 to 9999")
    return int(value)


def _numbers(part: str, value: str | None) -> tuple[int, ...]:
    if value is None:
        return ()
    lowest, highest = _RANGES[part]
    numbers: set[int] = set()
    for item in value.split(","):
        number = int(item) if _NUMBER.fullmatch(item) else None
        size = abs(number) if number is not None and part in _FROM_THE_END else number
        if number is None or size is None or not lowest <= size <= highest:
            raise ValueError(f"{part} takes numbers from {lowest} to {highest}")
        numbers.add(number)
    return tuple(sorted(numbers))


def _weekday(value: str) -> int:
    if value not in _WEEKDAYS:
        raise ValueError(f"WKST must be one of {', '.join(_WEEKDAYS)}")
    return _WEEKDAYS.index(value)


def _weekdays(value: str | None, frequency: str, has_week_numbers: bool) -> tuple[tuple[int, int], ...]:
    if value is None:
        return ()
    weekdays: list[tuple[int, int]] = []
    for item in value.split(","):
        matched = _DAY.fullmatch(item)
        number = int(matched[1] or 0) if matched else 0
        if matched is None or abs(number) > 53 or (matched[1] and number == 0):
            raise ValueError("BYDAY takes weekdays such as MO or 2FR")
        if number and (frequency not in ("MONTHLY", "YEARLY") or has_week_numbers):
            raise ValueError(f"BYDAY cannot number weekdays with FREQ={frequency}")
        weekdays.append((number, _WEEKDAYS.index(matched[2])))
    return tuple(weekdays)


def _until(value: str) -> datetime:
    """Parse UNTIL: aware in UTC with a Z, wall time without it; a date includes the whole day."""
    matched = _UNTIL.fullmatch(value)
    try:
        if matched is None:
            raise ValueError
        day = datetime.strptime(matched[1], "%Y%m%d")
        if matched[2] is None:
            return datetime.combine(day, time.max)
        time_ = datetime.combine(day, datetime.strptime(matched[2], "%H%M%S").time())
    except ValueError:
        raise ValueError("UNTIL must be like 20261231 or 20261231T155959Z") from None
    return time_.replace(tzinfo=UTC) if matched[3] else time_
