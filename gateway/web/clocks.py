"""Times on the pages, in one format for each clock.

Times of the session's clock and of the wall clock are labelled as such and show their time zone. Short forms in lists (a day,
an hour) appear below a line with clock and zone, and have the complete time as their title.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import Any

from markupsafe import Markup

from soundstage.contexts.engine.clock import from_ms, parse_moment

Moment = int | str
"""Milliseconds since 1970, or ISO 8601 as in the journal."""

_TIME = Markup('<time datetime="{}" title="{}">{}</time>')
_LABELLED = Markup('<span class="clock"><small>{}</small> {}</span>')


def moment(of: Moment | datetime) -> str:
    """Format a time with its zone: 2026-11-20 07:45:00 UTC."""
    at = of if isinstance(of, datetime) else _read(of)
    return f"{at:%Y-%m-%d %H:%M:%S} {offset(at)}"


def session_time(of: Moment) -> Markup:
    """Format a time of a session's clock."""
    return _labelled("session", _read(of))


def wall_time(of: Moment) -> Markup:
    """Format a time of the gateway's wall clock."""
    return _labelled("wall", _read(of))


def zone_name(zone: tzinfo, at: datetime) -> str:
    """Format a time zone with its current offset: Asia/Shanghai (UTC+08:00)."""
    then, name = offset(at.astimezone(zone)), str(zone)
    return then if name == then or name == "UTC" else f"{name} ({then})"


def offset(at: datetime) -> str:
    """Format a time's offset from UTC: UTC, UTC+08:00."""
    return "UTC" if not at.utcoffset() else f"UTC{at.replace(microsecond=0).isoformat()[19:]}"


def day(at: datetime | None) -> str:
    """Format a day of the session's clock, in the page's zone; empty without a time."""
    return "" if at is None else f"{at:%Y-%m-%d}"


def hour(at: datetime | None) -> Markup:
    """Format a time of day of the session's clock, in the page's zone; empty without a time."""
    return Markup() if at is None else _short(at, f"{at:%H:%M}")


def second(of: Moment) -> Markup:
    """Format a time of day of the session's clock to the second, in UTC."""
    at = _read(of)
    return _short(at, f"{at:%H:%M:%S}")


def _read(of: Moment) -> datetime:
    return from_ms(of) if isinstance(of, int) else parse_moment(of)


def _short(at: datetime, text: str) -> Markup:
    return _TIME.format(at.isoformat(), f"session time, {moment(at)}", text)


def _labelled(clock: str, at: datetime) -> Markup:
    return _LABELLED.format(clock, _TIME.format(at.isoformat(), f"{clock} time", moment(at)))


FILTERS: dict[str, Callable[..., Any]] = {
    "moment": moment,
    "session_time": session_time,
    "wall_time": wall_time,
    "day": day,
    "hour": hour,
    "second": second,
}
