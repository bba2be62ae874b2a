"""How moments are written on the pages: one way for each clock.

A moment of the session's clock and one of the wall clock are called so wherever they stand, and each bears its zone. What is
short for a list (a day, an hour) stands below a line that tells clock and zone, and has the whole moment as its title.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import Any

from markupsafe import Markup

from soundstage.contexts.engine.clock import from_ms, parse_moment

Moment = int | str
"""Milliseconds since 1970, or ISO 8601 as the journal writes it."""

_TIME = Markup('<time datetime="{}" title="{}">{}</time>')
_LABELLED = Markup('<span class="clock"><small>{}</small> {}</span>')


def moment(of: Moment | datetime) -> str:
    """A moment with its zone: 2026-11-20 07:45:00 UTC."""
    at = of if isinstance(of, datetime) else _read(of)
    return f"{at:%Y-%m-%d %H:%M:%S} {offset(at)}"


def session_time(of: Moment) -> Markup:
    """A moment of a session's clock."""
    return _labelled("session", _read(of))


def wall_time(of: Moment) -> Markup:
    """A moment of the gateway's own clock."""
    return _labelled("wall", _read(of))


def zone_name(zone: tzinfo, at: datetime) -> str:
    """A zone as people know it, and what it then is: Asia/Shanghai (UTC+08:00)."""
    then, name = offset(at.astimezone(zone)), str(zone)
    return then if name == then or name == "UTC" else f"{name} ({then})"


def offset(at: datetime) -> str:
    """How far a moment's zone is from UTC: UTC, UTC+08:00."""
    return "UTC" if not at.utcoffset() else f"UTC{at.replace(microsecond=0).isoformat()[19:]}"


def day(at: datetime | None) -> str:
    """A day of the session's clock, in the zone that the page tells; empty for none."""
    return "" if at is None else f"{at:%Y-%m-%d}"


def hour(at: datetime | None) -> Markup:
    """A time of day of the session's clock, in the zone that the page tells; empty for none."""
    return Markup() if at is None else _short(at, f"{at:%H:%M}")


def second(of: Moment) -> Markup:
    """A time of day of the session's clock to the second, in UTC."""
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
