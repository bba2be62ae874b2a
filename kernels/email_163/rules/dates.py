"""Timestamps as JavaScript on the server's machine parses and formats them, with the settings `zone` and `locale`."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.mail import dates

_ZONE, _LOCALE = "Asia/Shanghai", "zh-CN"
_LARGEST_DAYS = 100_000_000
_ZONE_NAMES = {
    ("Asia/Shanghai", "zh"): "中国标准时间",
    ("Asia/Shanghai", "en"): "China Standard Time",
    ("UTC", "zh"): "协调世界时",
    ("UTC", "en"): "Coordinated Universal Time",
}


def parsed(text: str) -> datetime | None:
    """Return the time that `new Date(text)` parses from a message's date, or None if it is invalid."""
    result = dates.parse(text)
    if result is None:
        try:
            result = datetime.fromisoformat(text)
        except ValueError:
            return None
    return result if result.tzinfo is not None else result.replace(tzinfo=UTC)


def days_ago(context: AppContext, days: float) -> datetime | None:
    """Return the same time of day `days` days ago; None for an invalid date, which compares with nothing."""
    if math.isnan(days) or abs(days) > _LARGEST_DAYS:
        return None
    local = context.now().astimezone(zone(context))
    try:
        # setDate takes whole days: 20 - 0.5 is the 19th
        return local + timedelta(days=int(local.day - days) - local.day)
    except OverflowError:
        return None


def short(context: AppContext, moment: datetime) -> str:
    """Format a time like toLocaleString()."""
    local = moment.astimezone(zone(context))
    if _locale(context).startswith("en"):
        hour = f"{local.hour % 12 or 12}:{local:%M:%S} {'AM' if local.hour < 12 else 'PM'}"
        return f"{local.month}/{local.day}/{local.year}, {hour}"
    return f"{local.year}/{local.month}/{local.day} {local:%H:%M:%S}"


def long(context: AppContext, moment: datetime) -> str:
    """Format a time like toString()."""
    here = zone(context)
    local = moment.astimezone(here)
    name = _ZONE_NAMES.get((here.key, _locale(context)[:2])) or local.tzname() or here.key
    day = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[local.weekday()]
    month = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")[local.month - 1]
    return f"{day} {month} {local:%d %Y %H:%M:%S} GMT{local:%z} ({name})"


def zone(context: AppContext) -> ZoneInfo:
    """Return the machine's time zone."""
    try:
        return ZoneInfo(str((context.get("setting", "zone") or {}).get("value") or _ZONE))
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo(_ZONE)


def _locale(context: AppContext) -> str:
    return str((context.get("setting", "locale") or {}).get("value") or _LOCALE)
