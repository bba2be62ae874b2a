"""Times as the Graph API writes them: `2026-03-10T09:00:00+0000`, whole seconds, in UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules.errors import GraphError
from soundstage.kernels.types import Arguments

_FORM = "%Y-%m-%dT%H:%M:%S%z"
_UNIX = re.compile(r"\d{9,11}")


def format_time(time: datetime) -> str:
    """Format a time."""
    return time.astimezone(UTC).strftime(_FORM)


def parse_time(text: object) -> datetime | None:
    """Parse a time of this format; return None for other texts."""
    try:
        return datetime.strptime(str(text), _FORM)
    except ValueError:
        return None


def day(text: str) -> date:
    """Return the day of `since` or `until`: a date, a date with a time, or Unix seconds.

    Raises:
        GraphError: (#100) Invalid parameter.
    """
    if _UNIX.fullmatch(text):
        return datetime.fromtimestamp(int(text), UTC).date()
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        raise GraphError("invalid", "(#100) Invalid parameter") from None


def within(time: object, arguments: Arguments) -> bool:
    """Return whether a time is on one of the days from `since` to `until`, inclusive.

    Raises:
        GraphError: One of them is not a day.
    """
    since, until = arguments.get("since"), arguments.get("until")
    when = str(time or "")[:10]
    return (not since or when >= day(since).isoformat()) and (not until or when <= day(until).isoformat())


def older_than(text: object, hours: int, now: datetime) -> bool:
    """Return whether a time is at least `hours` ago."""
    time = parse_time(text)
    return time is not None and now - time >= timedelta(hours=hours)


def newest_first(rows: list[Object], field: str) -> list[Object]:
    """Sort rows by a time, latest first; rows of the same second by order of creation in the session, last first."""
    return sorted(rows, key=lambda row: (str(row.get(field) or ""), row.get("serial") or 0), reverse=True)
