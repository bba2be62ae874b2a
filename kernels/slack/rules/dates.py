"""The date formats of the search tool.

Examples: 2025-11-20, 11/20/2025, Nov 20 2025, July 2025, yesterday, 3 days ago.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from soundstage.contexts.engine.clock import to_s
from soundstage.kernels.slack.rules.errors import Refusal

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_NUMERIC = (
    re.compile(r"(?P<y>\d{4})(?P<s>[-/])(?P<m>\d{2})(?P=s)(?P<d>\d{2})", re.ASCII),
    re.compile(r"(?P<m>\d{2})(?P<s>[-/])(?P<d>\d{2})(?P=s)(?P<y>\d{4})", re.ASCII),
    re.compile(r"(?P<d>\d{2})(?P<s>[-/])(?P<m>\d{2})(?P=s)(?P<y>\d{4})", re.ASCII),
)
_NAMED = (
    re.compile(r"(?P<month>[A-Za-z]+) +(?P<d>\d{1,2}), +(?P<y>\d{4})", re.ASCII),
    re.compile(r"(?P<d>\d{1,2})[-\s]+(?P<month>[A-Za-z]+)[-\s]+(?P<y>\d{4})", re.ASCII),
    re.compile(r"(?P<month>[A-Za-z]+)[-\s]+(?P<d>\d{1,2})[-\s]+(?P<y>\d{4})", re.ASCII),
    re.compile(r"(?P<y>\d{4})[-\s]+(?P<month>[A-Za-z]+)[-\s]+(?P<d>\d{1,2})", re.ASCII),
    re.compile(r"(?P<y>\d{4})\s+(?P<month>[A-Za-z]+)", re.ASCII),
    re.compile(r"(?P<month>[A-Za-z]+)\s+(?P<y>\d{4})", re.ASCII),
)
_AGO = re.compile(r"(\d+)\s+days?\s+ago", re.ASCII)
_RELATIVE = {"today": 0, "yesterday": -1, "tomorrow": 1}


def parse_date(text: str, now: datetime) -> date | None:
    """Parse a date as people write it (a month alone is its first day), or return None."""
    text = text.strip()
    for pattern in (*_NUMERIC, *_NAMED):
        if match := pattern.fullmatch(text):
            parts = match.groupdict()
            month = _month(parts["month"]) if "month" in parts else int(parts["m"])
            if parsed := _date(int(parts["y"]), month, int(parts.get("d") or 1)):
                return parsed
    lower, today = text.lower(), now.astimezone(UTC).date()
    if lower in _RELATIVE:
        return today + timedelta(days=_RELATIVE[lower])
    if ago := _AGO.fullmatch(lower):
        return today - timedelta(days=min(int(ago[1][:9]), today.toordinal() - 1))
    return None


def date_filters(before: str, after: str, on: str, during: str, now: datetime) -> dict[str, str]:
    """Return the search modifiers for the four date arguments.

    Raises:
        Refusal: Arguments exclude each other, or one is not a date.
    """
    if on and (during or before or after):
        raise Refusal("'on' cannot be combined with other date filters")
    if during and not on and (before or after):
        raise Refusal("'during' cannot be combined with 'before' or 'after'")
    given = {"on": on, "during": during, "after": after, "before": before}
    dates = {name: _required_date(name, text, now) for name, text in given.items() if text}
    if "after" in dates and "before" in dates and dates["after"] > dates["before"]:
        raise Refusal("'after' date is after 'before' date")
    return {name: day.isoformat() for name, day in dates.items()}


def day_bounds(day: date) -> tuple[int, int]:
    """Return the seconds at which a day (UTC) and the next one start."""
    start = to_s(datetime(day.year, day.month, day.day, tzinfo=UTC))
    return start, start + 86_400


def _required_date(name: str, text: str, now: datetime) -> date:
    day = parse_date(text, now)
    if day is None:
        raise Refusal(f"invalid '{name}' date: unable to parse date: {text.strip()}")
    return day


def _month(name: str) -> int:
    """Return the number of a month's name or its first three letters (also "sept"), or 0."""
    name = name.lower()
    if name == "sept":
        return 9
    return next((i for i, month in enumerate(_MONTHS, 1) if name in (month, month[:3])), 0)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
