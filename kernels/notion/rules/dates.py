"""Dates: a day or a time in ISO 8601, alone or as a range."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules.validation import OR_NULL, json_object, member, only, refuse, string

_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?)?", re.ASCII)


def iso(value: Any, path: str, alternative: str = "") -> str:
    """Return a valid day or time.

    Raises:
        NotionError: The value is neither.
    """
    if not isinstance(value, str) or parse_time(value) is None:
        refuse(path, f"a valid ISO 8601 date string{alternative}", value)
    return value


def parse(value: Any, path: str) -> Object:
    """Convert a date object of a request to Notion's form.

    Raises:
        NotionError: In the words of the API's validation.
    """
    sent = json_object(value, path, OR_NULL)
    only(sent, ("start", "end", "time_zone"), path)
    start = iso(member(sent, "start", path), f"{path}.start")
    end = None if sent.get("end") is None else iso(sent["end"], f"{path}.end", OR_NULL)
    zone = None if sent.get("time_zone") is None else string(sent["time_zone"], f"{path}.time_zone", OR_NULL)
    return {"start": start, "end": end, "time_zone": zone}


def parse_time(text: str) -> datetime | None:
    """Parse a time or a day (its midnight), by default in UTC; return None for other texts."""
    if not _ISO.fullmatch(text):
        return None
    try:
        parsed = datetime.fromisoformat(text.replace(",", "."))
    except ValueError:
        return None
    try:
        return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    except OverflowError:
        return None


def is_day(text: str) -> bool:
    """Return whether a text is a day without a time."""
    return len(text) == 10
