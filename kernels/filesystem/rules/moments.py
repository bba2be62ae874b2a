"""Timestamps in the format of Node's `String(date)` in the machine's time zone."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
ZONES = {
    "UTC": ("Coordinated Universal Time", ""),
    "Asia/Shanghai": ("China Standard Time", ""),
    "Asia/Tokyo": ("Japan Standard Time", ""),
    "Europe/London": ("Greenwich Mean Time", "British Summer Time"),
    "Europe/Berlin": ("Central European Standard Time", "Central European Summer Time"),
    "America/New_York": ("Eastern Standard Time", "Eastern Daylight Time"),
    "America/Los_Angeles": ("Pacific Standard Time", "Pacific Daylight Time"),
}
"""The supported time zones of the machine, with their names in winter and summer."""


def format_time(moment: datetime, zone: str) -> str:
    """Format a time such as `Fri Nov 20 2026 07:38:19 GMT+0000 (Coordinated Universal Time)`.

    Raises:
        KeyError: The time zone is not supported.
    """
    winter, summer = ZONES[zone]
    local = moment.astimezone(ZoneInfo(zone))
    day = f"{_DAYS[local.weekday()]} {_MONTHS[local.month - 1]} {local.day:02} {local.year:04}"
    return f"{day} {local:%H:%M:%S} GMT{local:%z} ({summer if local.dst() and summer else winter})"
