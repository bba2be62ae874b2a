"""Moments as mail carries them (RFC 2822)."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime


def parse(text: str) -> datetime | None:
    """The moment of a Date field, aware; None where it tells none. Without a zone it is UTC's."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def written(moment: datetime) -> str:
    """A moment as a Date field, in its own zone: `Fri, 20 Nov 2026 09:30:00 +0800`."""
    return format_datetime(moment)
