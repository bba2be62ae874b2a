"""Times as PayPal's APIs write them and as the toolkit's JavaScript reads and writes them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_ISO = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?"
    r"(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?P<zone>[Zz]|[+-]\d\d:?\d\d)?)?"
)
# The pattern of `start_date` and `end_date` in reporting_transactions_v1.json.
_REQUIRED = re.compile(
    r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[1-2][0-9]|3[0-1])[Tt,]([0-1][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)"
    r"([.][0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)


def format_seconds(moment: datetime) -> str:
    """Format a time in seconds: `2026-11-20T08:00:00Z`."""
    return _whole_seconds(moment) + "Z"


def format_milliseconds(moment: datetime) -> str:
    """Format a time in milliseconds: `2026-11-20T08:00:00.000Z`.

    This is JavaScript's `toISOString`, and the format of times in disputes.
    """
    utc = moment.astimezone(UTC)
    return utc.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def format_reported(moment: datetime) -> str:
    """Format a time as transactions show it: `2026-11-20T08:00:00+0000`."""
    return _whole_seconds(moment) + "+0000"


def is_reportable(text: str) -> bool:
    """Return whether the transaction search accepts a date: it needs seconds and a time zone."""
    return _REQUIRED.fullmatch(text) is not None


def is_day(text: str) -> bool:
    """Return whether a text is a calendar day such as `2026-11-20`."""
    return _DAY.fullmatch(text) is not None and parse_time(text) is not None


def parse_time(text: str) -> datetime | None:
    """Parse an ISO 8601 date like `new Date(text)` on a machine in UTC.

    Returns the time in UTC, or None if the text is not such a date.
    """
    match = _ISO.fullmatch(text.replace(",", "T", 1) if "," in text else text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction = (match[i] for i in range(1, 8))
    zone = match["zone"] or "Z"
    shift = timedelta()
    if zone not in "Zz":
        shift = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:])) * (-1 if zone[0] == "-" else 1)
    try:
        return datetime(
            *(int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0)),
            int((fraction or "0").ljust(6, "0")[:6]),
            tzinfo=timezone(shift),
        ).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def add_duration(moment: datetime, by: timedelta) -> datetime | None:
    """Add a duration to a time; return None after the year 9999."""
    try:
        return moment + by
    except OverflowError:
        return None


def _whole_seconds(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").removesuffix("+00:00")


def a_month_before(moment: datetime) -> datetime:
    """Return `setMonth(getMonth() - 1)`: a day that the previous month lacks runs over into the next month."""
    first = moment.replace(day=1) - timedelta(days=1)
    return first.replace(day=1) + timedelta(days=moment.day - 1)
