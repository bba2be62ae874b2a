"""The `maps_weather` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import AmapError, Info, failed
from soundstage.kernels.amap.rules.request import admit
from soundstage.kernels.engines.places.atlas import Atlas, atlas_of
from soundstage.kernels.engines.places.weather import Day, forecast
from soundstage.kernels.types import Arguments

_DAYS = 4
_POWERS = {"<3级": "1-3", "3~4级": "4", "4~5级": "5"}


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return the forecast of a city or district for up to four days.

    The result is {city, forecasts: [{date, week, dayweather, nightweather, daytemp, …}]}; all values are strings.
    """
    try:
        admit(context, arguments["city"])
    except Info as refusal:
        raise failed("Get weather", refusal) from None
    row = _weather(context, arguments["city"])
    if row is None:
        raise AmapError("not_found", "No forecast data available")
    return {"city": row["city"], "forecasts": row["casts"]}


def _weather(context: AppContext, city: str) -> Object | None:
    source = context.source("weather")
    if source != "library":
        for row in context.list("weather"):
            if city in (row["adcode"], row.get("city")):
                return row
    if source == "own":
        return None
    atlas = atlas_of(context)
    return _of_library(atlas, context, city)


def _of_library(atlas: Atlas, context: AppContext, city: str) -> Object | None:
    area = atlas.area_named(city, "city", "district")
    if area is None or not area.adcode.isdigit():
        return None
    days = forecast(atlas, area, context.now(), _DAYS)
    return {"city": area.zh, "casts": [_cast(day) for day in days]}


def _cast(day: Day) -> Object:
    return {
        "date": day.date.isoformat(),
        "week": str(day.date.isoweekday()),
        "dayweather": day.text[0],
        "nightweather": day.text[1],
        "daytemp": str(day.high),
        "nighttemp": str(day.low),
        "daywind": day.wind[0],
        "nightwind": day.wind[1],
        "daypower": _POWERS[day.force[0]],
        "nightpower": _POWERS[day.force[1]],
        "daytemp_float": f"{day.high}.0",
        "nighttemp_float": f"{day.low}.0",
    }
