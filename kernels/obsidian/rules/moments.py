"""Local time of the session, and date formats of `moment.js`."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import from_ms
from soundstage.kernels.obsidian.rules.vault import Vault

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_TOKEN = re.compile(
    r"(\[[^\[]*?\])|(\\.)|(Mo|MM?M?M?|Do|DDDo|DD?D?D?|ddd?d?|do|w[o|w]?|W[o|W]?|Qo?|gg(?:ggg?)?|GG(?:GGG?)?|e|E|"
    r"YYYYYY|YYYYY|YYYY|YY|y{2,4}|yo?|a|A|hh?|HH?|kk?|mm?|ss?|S{1,9}|ZZ?|zz?|X|x|.)"
)


def zone(vault: Vault) -> ZoneInfo:
    """Return the time zone of the machine on which Obsidian runs."""
    try:
        return ZoneInfo(vault.settings.get("zone") or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def local_now(context: AppContext, vault: Vault) -> datetime:
    """Return the current local time."""
    return context.now().astimezone(zone(vault))


def local_iso(milliseconds: int, vault: Vault) -> str:
    """Format a time in ISO 8601 with milliseconds and offset, like Luxon (`+00:00`, not `Z`)."""
    return from_ms(milliseconds).astimezone(zone(vault)).isoformat(timespec="milliseconds")


def formatted(moment: datetime, pattern: str) -> str:
    """Format a time with tokens of `moment.js` in English, such as `YYYY-MM-DD` or `gggg-[W]ww`; other text is copied."""

    def shown(match: re.Match[str]) -> str:
        if match[1]:
            return match[1][1:-1]
        if match[2]:
            return match[2][1:]
        values = _values(moment)
        return str(values.get(match[3], match[3]))

    return _TOKEN.sub(shown, pattern)


def _values(moment: datetime) -> dict[str, Any]:
    """Return the value of each token."""
    day = moment.date()
    weekday = (day.weekday() + 1) % 7
    week_year, week = _week(day)
    iso_year, iso_week, iso_day = day.isocalendar()
    quarter, ordinal = (day.month + 2) // 3, day.timetuple().tm_yday
    hour12 = moment.hour % 12 or 12
    offset = moment.strftime("%z")
    values: dict[str, Any] = {
        "YYYYYY": f"+{day.year:06d}", "YYYYY": f"{day.year:05d}", "YYYY": f"{day.year:04d}", "YY": f"{day.year % 100:02d}",
        "y": day.year, "yo": _th(day.year), "yy": f"{day.year:02d}", "yyy": f"{day.year:03d}", "yyyy": f"{day.year:04d}",
        "M": day.month, "Mo": _th(day.month), "MM": f"{day.month:02d}",
        "MMM": _MONTHS[day.month - 1][:3], "MMMM": _MONTHS[day.month - 1],
        "D": day.day, "Do": _th(day.day), "DD": f"{day.day:02d}",
        "DDD": ordinal, "DDDo": _th(ordinal), "DDDD": f"{ordinal:03d}",
        "d": weekday, "do": _th(weekday), "dd": _DAYS[weekday][:2], "ddd": _DAYS[weekday][:3], "dddd": _DAYS[weekday],
        "e": weekday, "E": iso_day,
        "w": week, "wo": _th(week), "ww": f"{week:02d}", "W": iso_week, "Wo": _th(iso_week), "WW": f"{iso_week:02d}",
        "gg": f"{week_year % 100:02d}", "gggg": f"{week_year:04d}", "ggggg": f"{week_year:05d}",
        "GG": f"{iso_year % 100:02d}", "GGGG": f"{iso_year:04d}", "GGGGG": f"{iso_year:05d}",
        "Q": quarter, "Qo": _th(quarter),
        "H": moment.hour, "HH": f"{moment.hour:02d}", "h": hour12, "hh": f"{hour12:02d}",
        "k": moment.hour or 24, "kk": f"{moment.hour or 24:02d}",
        "m": moment.minute, "mm": f"{moment.minute:02d}", "s": moment.second, "ss": f"{moment.second:02d}",
        "A": "AM" if moment.hour < 12 else "PM", "a": "am" if moment.hour < 12 else "pm",
        "Z": f"{offset[:3]}:{offset[3:5]}", "ZZ": offset[:5], "z": "", "zz": "",
        "X": int(moment.timestamp()), "x": int(moment.timestamp() * 1000),
    }  # fmt: skip
    fraction = f"{moment.microsecond // 1000:03d}000000"
    return values | {"S" * n: fraction[:n] for n in range(1, 10)}


def _week(day: date) -> tuple[int, int]:
    """Return year and number of a week in the English locale: weeks start on Sunday, and week 1 contains 1 January."""
    sunday = day - timedelta(days=(day.weekday() + 1) % 7)
    year = (sunday + timedelta(days=6)).year
    january = date(year, 1, 1)
    first = january - timedelta(days=(january.weekday() + 1) % 7)
    return year, (sunday - first).days // 7 + 1


def _th(number: int) -> str:
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
