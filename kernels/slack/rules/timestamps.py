"""Slack's timestamps: seconds with six decimals, which also identify a message in its channel."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_s

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_SECOND = 253_402_300_799  # the end of the year 9999
_STEP = 100  # new messages of the same second are this many microseconds apart


def is_timestamp(text: str) -> bool:
    """Return whether a text is a timestamp."""
    return re.fullmatch(r"\d{10}\.\d{6}", text, re.ASCII) is not None


def new_timestamp(context: AppContext, channel: str) -> str:
    """Return a timestamp for now that no other message of the channel has."""
    second = to_s(context.now())
    fraction = _STEP
    while context.get("message", (channel, ts := f"{second:010d}.{fraction:06d}")) is not None:
        fraction += _STEP
        if fraction >= 1_000_000:
            second, fraction = second + 1, _STEP
    return ts


def bound(seconds: int) -> str:
    """Return a time as a bound for timestamps, which compare as text."""
    return f"{min(max(seconds, 0), 9_999_999_999):010d}.000000"


def rfc3339(seconds: int) -> str:
    """Format seconds since 1970 as Go's time.RFC3339 does in UTC; return "" for times out of range."""
    if not 0 <= seconds <= _LAST_SECOND:
        return ""
    return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def message_time(ts: str) -> str | None:
    """Return a message's time in RFC 3339, or None for an invalid timestamp: the server omits such messages."""
    match = re.fullmatch(r"([+-]?\d+)\.([+-]?\d+)", ts, re.ASCII)
    return (rfc3339(int(match[1])) or None) if match else None
