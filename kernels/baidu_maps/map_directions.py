"""The `map_directions` tool."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import BaiduError, Refused, api_error
from soundstage.kernels.baidu_maps.rules.geocoding import geocode
from soundstage.kernels.baidu_maps.rules.request import admit, no_page, point, written
from soundstage.kernels.baidu_maps.rules.ways import MODES, TRANSIT, nothing, way
from soundstage.kernels.types import Arguments

_LAT_LNG = re.compile(r"^\s*([+-]?\d+(?:\.\d+)?)\s*,\s*([+-]?\d+(?:\.\d+)?)\s*$")


def run(context: AppContext, arguments: Arguments) -> Object:
    """Plan a route: {status, message, result: {origin, destination, routes: [{distance, duration, …, steps}]}}.

    An end that does not look like "latitude,longitude" is geocoded first.
    """
    model, is_china = f"{arguments.get('model', 'driving')}", arguments.get("is_china", "true")
    origin = _located(context, arguments.get("origin", ""), "origin", is_china)
    destination = _located(context, arguments.get("destination", ""), "destination", is_china)
    if model not in (*MODES, TRANSIT):
        service = "directionlite" if is_china == "true" else "direction_abroad"
        raise no_page(f"{service}/v1/{model}", origin=origin, destination=destination)
    try:
        admit(context)
        start, end = point(origin), point(destination)
        results = way(context, model, start, end)
        if results is None:
            raise nothing()
    except Refused as refused:
        raise api_error(refused) from None
    result = {"origin": written(start), "destination": written(end), "routes": [results]}
    return {"status": 0, "message": "ok", "result": result}


def _located(context: AppContext, end: object, name: str, is_china: str) -> str:
    """Return an end as "latitude,longitude"."""
    if not isinstance(end, str):  # re.match raises this error for unvalidated arguments that are not strings
        raise BaiduError("invalid", f"expected string or bytes-like object, got '{type(end).__name__}'")
    if _is_lat_lng(end):
        return end
    try:
        location = geocode(context, end, is_china)["location"]
    except Refused as refused:
        message = refused.message or f"input `{name}` invaild, please reinput more detail address"
        raise BaiduError(refused.kind, f"Geocoding API error: {message}") from None
    return f"{location['lat']},{location['lng']}"


def _is_lat_lng(text: str) -> bool:
    match = _LAT_LNG.match(text)
    return match is not None and -90 <= float(match[1]) <= 90 and -180 <= float(match[2]) <= 180
