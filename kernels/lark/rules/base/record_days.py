"""Days in date filters: keywords such as Today and CurrentWeek, and exact dates cut to the base's midnight.

Source: https://open.feishu.cn/document/docs/bitable-v1/app-table-record/record-filter-guide
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.clock import from_ms, to_ms

Days = tuple[date, date]
"""From the first day to the day after the last."""

_SINGLE_DAYS = {"Today": 0, "Tomorrow": 1, "Yesterday": -1}


def days_meant(value: Sequence[str], now: datetime, zone: ZoneInfo) -> Days | None:
    """Return the days of a condition's value, or None if it is invalid."""
    match list(value):
        case ["ExactDate", moment]:
            return _exact_day(moment, zone)
        case [keyword] if keyword in _SINGLE_DAYS:
            day = now.astimezone(zone).date() + timedelta(days=_SINGLE_DAYS[keyword])
            return day, day + timedelta(days=1)
        case [keyword] if keyword in _SPANS:
            return _SPANS[keyword](now.astimezone(zone).date())
        case _:
            return None


def is_single_day(value: Sequence[str]) -> bool:
    """Return whether a value allows isGreater and isLess; weeks and months allow only `is`."""
    return len(value) > 0 and (value[0] == "ExactDate" or value[0] in _SINGLE_DAYS)


def milliseconds(days: Days, zone: ZoneInfo) -> tuple[int, int]:
    """Return the times at which a range of days begins and ends."""
    begin, end = (to_ms(datetime(day.year, day.month, day.day, tzinfo=zone)) for day in days)
    return begin, end


def _exact_day(text: str, zone: ZoneInfo) -> Days | None:
    try:
        day = from_ms(int(text)).astimezone(zone).date()
        return day, day + timedelta(days=1)
    except (ValueError, OverflowError):
        return None


def _week(today: date) -> Days:
    monday = today - timedelta(days=today.weekday())
    return monday, monday + timedelta(days=7)


def _month(today: date) -> Days:
    first = today.replace(day=1)
    return first, (first + timedelta(days=31)).replace(day=1)


_SPANS: dict[str, Callable[[date], Days]] = {
    "CurrentWeek": _week,
    "LastWeek": lambda today: _week(today - timedelta(days=7)),
    "CurrentMonth": _month,
    "LastMonth": lambda today: _month(today.replace(day=1) - timedelta(days=1)),
    "TheLastWeek": lambda today: (today - timedelta(days=6), today + timedelta(days=1)),
    "TheNextWeek": lambda today: (today, today + timedelta(days=7)),
    "TheLastMonth": lambda today: (today - timedelta(days=29), today + timedelta(days=1)),
    "TheNextMonth": lambda today: (today, today + timedelta(days=30)),
}
