"""Moments as the Graph API writes them: `2026-03-10T09:00:00+0000`, whole seconds, in UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules.errors import GraphError
from soundstage.kernels.types import Arguments

_FORM = "%Y-%m-%dT%H:%M:%S%z"
_UNIX = re.compile(r"\d{9,11}")


def written(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime(_FORM)


def read(text: object) -> datetime | None:
    """A moment written so; None for what is none."""
    try:
        return datetime.strptime(str(text), _FORM)
    except ValueError:
        return None


def day(text: str) -> date:
    """The day that `since` or `until` names: by itself, in front of a time, or as Unix seconds.

    Raises:
        GraphError: (#100) Invalid parameter.
    """
    if _UNIX.fullmatch(text):
        return datetime.fromtimestamp(int(text), UTC).date()
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        raise GraphError("invalid", "(#100) Invalid parameter") from None


def within(moment: object, arguments: Arguments) -> bool:
    """Whether a written moment is on one of the days from `since` to `until`, both of them included.

    Raises:
        GraphError: for what is no day.
    """
    since, until = arguments.get("since"), arguments.get("until")
    when = str(moment or "")[:10]
    return (not since or when >= day(since).isoformat()) and (not until or when <= day(until).isoformat())


def older_than(text: object, hours: int, now: datetime) -> bool:
    """Whether a written moment is `hours` or more ago."""
    moment = read(text)
    return moment is not None and now - moment >= timedelta(hours=hours)


def newest_first(rows: list[Object], field: str) -> list[Object]:
    """Rows by a moment of theirs, the latest first; of those of the same second, what the session made last comes first."""
    return sorted(rows, key=lambda row: (str(row.get(field) or ""), row.get("serial") or 0), reverse=True)
