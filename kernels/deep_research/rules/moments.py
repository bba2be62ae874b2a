"""Timestamps in the format of Node's `toLocaleString` for en-US."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo


def format_time(moment: datetime, zone: str) -> str:
    """Format a time such as `11/20/2026, 7:42:04 AM`."""
    local = moment.astimezone(ZoneInfo(zone))
    half = "AM" if local.hour < 12 else "PM"
    return f"{local.month}/{local.day}/{local.year}, {local.hour % 12 or 12}:{local:%M:%S} {half}"
