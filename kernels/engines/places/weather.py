"""The weather of a day, derived from district and date or stated by the library.

A district's weather is that of its city with a small deviation, so that neighbours agree. Every session sees the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from soundstage.contexts.engine.ids import keyed_digest
from soundstage.kernels.engines.places.atlas import Area, Atlas

WINDS = ("北", "东北", "东", "东南", "南", "西南", "西", "西北")
FORCES = ("<3级", "3~4级", "4~5级")
_HIGHS = (8, 10, 15, 21, 26, 29, 33, 33, 28, 23, 17, 11)
"""Typical maximum temperature of each month."""
_SUMMER = ("晴", "晴", "多云", "多云", "阴", "阵雨", "小雨", "中雨", "雷阵雨", "大雨")
_WINTER = ("晴", "晴", "多云", "多云", "多云", "阴", "阴", "小雨", "小雨", "中雨")
_WET = ("雨", "雪")
_LOCAL = timedelta(hours=8)


@dataclass(frozen=True, slots=True)
class Day:
    """A day's weather; pairs hold the values for day and night."""

    date: date
    text: tuple[str, str]
    high: int
    low: int
    wind: tuple[str, str]
    force: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Now:
    """The latest observation.

    Temperatures are in degrees, `rh` is in percent, `wind_class` looks like "2级", `wind_dir` like "东风"; `uptime` is a compact
    local timestamp.
    """

    text: str
    temp: int
    feels_like: int
    rh: int
    wind_class: str
    wind_dir: str
    uptime: str


def local(moment: datetime) -> datetime:
    """Return the local time of the library's places."""
    return moment + _LOCAL


def forecast(atlas: Atlas, area: Area, moment: datetime, days: int) -> list[Day]:
    """Return up to `days` days from today on, fewer if the library's forecast is shorter."""
    today = local(moment).date()
    recorded = atlas.recorded_weather.get((area.adcode, today.isoformat()), {})
    return [day(atlas, area, today + timedelta(days=i)) for i in range(min(days, recorded.get("days", days)))]


def day(atlas: Atlas, area: Area, when: date) -> Day:
    """Return the weather of one day in a district or city."""
    recorded = atlas.recorded_weather.get((area.adcode, when.isoformat()))
    if recorded is not None:
        pairs = (tuple(recorded[name]) for name in ("text", "wind", "force"))
        text, wind, force = pairs
        return Day(when, text, recorded["high"], recorded["low"], wind, force)
    city = atlas.city_of(area.adcode) or area
    wide, own = _draw(city.adcode, when), _draw(area.adcode, when)
    sky = _SUMMER if 5 <= when.month <= 9 else _WINTER
    base = _HIGHS[when.month - 1] - round((city.point.lat - 30.2) * 0.7)
    wet = wide[0] % len(sky)
    by_day = sky[wet]
    by_night = sky[(wet + wide[1] % 3 - 1) % len(sky)]
    high = base + wide[2] % 9 - 4 + own[0] % 3 - 1 - (3 if any(word in by_day for word in _WET) else 0)
    low = high - 5 - wide[3] % 5
    winds = (WINDS[wide[4] % 8], WINDS[(wide[4] + wide[5] % 3) % 8])
    forces = (FORCES[(0, 0, 0, 1, 1, 2)[wide[6] % 6]], FORCES[(0, 0, 0, 0, 1)[wide[7] % 5]])
    return Day(when, (by_day, by_night), high, low, winds, forces)


def now(atlas: Atlas, area: Area, moment: datetime) -> Now:
    """Return the latest half-hourly observation, or the one that the library states for the day."""
    here = local(moment)
    fields: dict[str, Any] | None = atlas.recorded_weather.get((area.adcode, here.date().isoformat()), {}).get("now")
    if fields is not None:
        return Now(**fields)
    today = day(atlas, area, here.date())
    seen = here.replace(minute=here.minute // 30 * 30, second=0)
    warmth = 1 - abs(14.5 - (seen.hour + seen.minute / 60)) / 12
    temp = round(today.low + (today.high - today.low) * max(0.0, min(1.0, warmth)))
    by_day = 6 <= seen.hour < 18
    text, wind, force = (pair[0 if by_day else 1] for pair in (today.text, today.wind, today.force))
    wet = any(word in text for word in _WET)
    own = _draw(area.adcode, here.date())
    strength = {"<3级": 1 + own[8] % 2, "3~4级": 3 + own[8] % 2}.get(force, 4 + own[8] % 2)
    moisture = (82 if wet else 48) + own[9] % 15
    chill = 1 if strength < 3 else 2
    return Now(text, temp, temp - chill, moisture, f"{strength}级", f"{wind}风", f"{seen:%Y%m%d%H%M%S}")


def _draw(adcode: str, when: date) -> bytes:
    return keyed_digest(0, f"places.weather.{adcode}", when.toordinal())
