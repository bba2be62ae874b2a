"""The `map_weather` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, metres, parse_lng_lat
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import Refused, api_error, invalid
from soundstage.kernels.baidu_maps.rules.request import admit, of_row
from soundstage.kernels.engines.places.atlas import Area, Atlas, atlas_of
from soundstage.kernels.engines.places.weather import Day, forecast, now
from soundstage.kernels.types import Arguments

_DAYS = 5
_WEEK = "一二三四五六日"
_NEAR = 20_000
"""Maximum distance in metres between a point and the centre of the district whose row answers for it."""


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return the weather of a district or point: {status, result: {location, now, forecasts}, message}.

    `location` ("longitude,latitude") takes precedence over the district.
    """
    location, district = arguments.get("location", ""), arguments.get("district_id", "")
    try:
        admit(context)
        result = _at(context, f"{location}") if location else _of(context, f"{district}")
    except Refused as refused:
        raise api_error(refused) from None
    return {"status": 0, "result": result, "message": "success"}


def _of(context: AppContext, district: str) -> Object:
    source = context.source("district_weather")
    row = context.get("district_weather", district) if source != "library" else None
    if row is not None:
        return {name: row.get(name) for name in ("location", "now", "forecasts")}
    atlas = atlas_of(context)
    area = atlas.areas.get(district) if source != "own" else None
    if area is None or area.level not in ("city", "district"):
        raise invalid()
    return _weather(context, atlas, area)


def _at(context: AppContext, location: str) -> Object:
    place = parse_lng_lat(location)
    if place is None:
        raise invalid()
    source = context.source("district_weather")
    if source != "library":
        rows = [
            (metres(place, at), row) for row in context.list("district_weather") if (at := of_row(row.get("center")))
        ]
        away, row = min(rows, key=lambda pair: pair[0], default=(_NEAR + 1.0, {}))
        if away <= _NEAR:
            return {name: row.get(name) for name in ("location", "now", "forecasts")}
    return _nearest(context, place) if source != "own" else _refuse()


def _nearest(context: AppContext, place: Point) -> Object:
    atlas = atlas_of(context)
    area = atlas.nearest_area(place)
    return _weather(context, atlas, area) if area is not None else _refuse()


def _refuse() -> Object:
    raise invalid()


def _weather(context: AppContext, atlas: Atlas, area: Area) -> Object:
    chain = atlas.chain(area.adcode)
    names = {level: chain[level].zh if level in chain else "" for level in ("country", "province", "city")}
    seen = now(atlas, area, context.now())
    return {
        "location": {**names, "name": area.zh[:-1], "id": area.adcode},
        "now": {
            "text": seen.text,
            "temp": seen.temp,
            "feels_like": seen.feels_like,
            "rh": seen.rh,
            "wind_class": seen.wind_class,
            "wind_dir": seen.wind_dir,
            "uptime": seen.uptime,
        },
        "forecasts": [_day(one) for one in forecast(atlas, area, context.now(), _DAYS)],
    }


def _day(day: Day) -> Object:
    return {
        "text_day": day.text[0],
        "text_night": day.text[1],
        "high": day.high,
        "low": day.low,
        "wc_day": day.force[0],
        "wd_day": f"{day.wind[0]}风",
        "wc_night": day.force[1],
        "wd_night": f"{day.wind[1]}风",
        "date": day.date.isoformat(),
        "week": f"星期{_WEEK[day.date.weekday()]}",
    }
