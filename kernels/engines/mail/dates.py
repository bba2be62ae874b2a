"""Dates of mail headers (RFC 2822)."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime


def parse(text: str) -> datetime | None:
    """Return the time of a Date field with its time zone (UTC by default), or None if the field is invalid."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def written(moment: datetime) -> str:
    """Format a time as a Date field in its own time zone: `Fri, 20 Nov 2026 09:30:00 +0800`."""
    return format_datetime(moment)
