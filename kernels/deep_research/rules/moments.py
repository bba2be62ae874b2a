"""Moments as `toLocaleString` of Node writes them in the United States."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo


def told(moment: datetime, zone: str) -> str:
    """A moment such as `11/20/2026, 7:42:04 AM`."""
    local = moment.astimezone(ZoneInfo(zone))
    half = "AM" if local.hour < 12 else "PM"
    return f"{local.month}/{local.day}/{local.year}, {local.hour % 12 or 12}:{local:%M:%S} {half}"
