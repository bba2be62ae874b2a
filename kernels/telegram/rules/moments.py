"""Moments: rows keep them as ISO texts, Python's datetime shows them."""

from __future__ import annotations

from datetime import UTC, datetime

from soundstage.contexts.engine.app_context import AppContext


def now(context: AppContext) -> datetime:
    """The session's time in whole seconds, which is all that Telegram keeps."""
    return context.now().replace(microsecond=0)


def now_iso(context: AppContext) -> str:
    return now(context).isoformat()


def moment(text: str) -> datetime:
    """A row's moment, in UTC and whole seconds, whatever else the row tells: Telegram sends moments as numbers of seconds."""
    parsed = datetime.fromisoformat(text).replace(microsecond=0)
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)


def iso(text: str) -> str:
    """A row's moment as the server writes it in JSON: 2026-03-11T14:30:00+00:00."""
    return moment(text).isoformat()


def spaced(text: str) -> str:
    """A row's moment as Python's `str` writes it: 2026-03-11 14:30:00+00:00."""
    return str(moment(text))
