"""Distances and durations in words, and opening hours."""

from __future__ import annotations

from datetime import datetime

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.places.weather import local

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ALWAYS = "00:00-24:00"


def distance(metres: int) -> Object:
    """Return {text, value}: whole metres below 100, otherwise kilometres with one decimal."""
    tenths = (metres + 50) // 100
    return {"text": f"{metres} m" if metres < 100 else f"{tenths // 10}.{tenths % 10} km", "value": metres}


def duration(seconds: int) -> Object:
    """Return {text, value}: rounded to minutes, at least one; "1 hour 2 mins" from one hour on."""
    minutes = max(1, (seconds + 30) // 60)
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = (
        [_counted(days, "day"), _counted(hours, "hour")]
        if days
        else [_counted(hours, "hour"), _counted(minutes, "min")]
    )
    return {"text": " ".join(part for part in parts if part), "value": seconds}


def opening_hours(hours: list[str], now: datetime) -> Object:
    """Return {open_now, weekday_text} for seven texts such as "09:00-22:00", "" for closed days."""
    here = local(now)
    open_now = False
    if hours[here.weekday()]:
        opens, closes = hours[here.weekday()].split("-")
        open_now = opens <= f"{here:%H:%M}" < closes
    return {"open_now": open_now, "weekday_text": [f"{d}: {_readable(h)}" for d, h in zip(_DAYS, hours, strict=True)]}


def _readable(hours: str) -> str:
    if not hours:
        return "Closed"
    if hours == _ALWAYS:
        return "Open 24 hours"
    return " – ".join(_clock(end) for end in hours.split("-"))


def _clock(text: str) -> str:
    hour, minute = text.split(":")
    return f"{(int(hour) - 1) % 12 + 1}:{minute} {'AM' if int(hour) % 24 < 12 else 'PM'}"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'s' if number > 1 else ''}" if number else ""
