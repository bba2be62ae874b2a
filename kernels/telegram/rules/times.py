"""Times: rows store ISO texts, replies show Python's datetime."""

from __future__ import annotations

from datetime import UTC, datetime

from soundstage.contexts.engine.app_context import AppContext


def now(context: AppContext) -> datetime:
    """Return the session's time in whole seconds, which is Telegram's precision."""
    return context.now().replace(microsecond=0)


def now_iso(context: AppContext) -> str:
    """Return the session's time as rows store it."""
    return now(context).isoformat()


def parse_time(text: str) -> datetime:
    """Parse a row's time, in UTC and whole seconds, because Telegram sends times as numbers of seconds."""
    parsed = datetime.fromisoformat(text).replace(microsecond=0)
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)


def iso(text: str) -> str:
    """Format a row's time as the server's JSON does: 2026-03-11T14:30:00+00:00."""
    return parse_time(text).isoformat()


def format_spaced(text: str) -> str:
    """Format a row's time as Python's `str` does: 2026-03-11 14:30:00+00:00."""
    return str(parse_time(text))
