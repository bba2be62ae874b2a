"""The `maps_distance` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, metres
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import INVALID_PARAMS, ROUTE_FAIL, Info, failed
from soundstage.kernels.amap.rules.request import admit, point
from soundstage.kernels.amap.rules.ways import Kind, path
from soundstage.kernels.types import Arguments

_STRAIGHT, _USUAL = "0", "1"
_KINDS: dict[str, Kind] = {"1": "driving", "3": "walking"}


def run(context: AppContext, arguments: Arguments) -> Object:
    """Measure the distance from several origins, joined by `|`: {results: [{origin_id, dest_id, distance, duration}]}."""
    try:
        return {"results": _measured(context, arguments)}
    except Info as refusal:
        raise failed("Direction Distance", refusal) from None


def _measured(context: AppContext, arguments: Arguments) -> list[Object]:
    admit(context, arguments["origins"], arguments["destination"])
    kind = arguments["type"] or _USUAL
    if kind != _STRAIGHT and kind not in _KINDS:
        raise Info(INVALID_PARAMS)
    origins = [point(text) for text in arguments["origins"].split("|")]
    destination = point(arguments["destination"])
    results: list[Object] = []
    for number, origin in enumerate(origins, 1):
        distance, duration = _lengths(context, kind, origin, destination)
        ids = {"origin_id": str(number), "dest_id": "1"}
        results.append({**ids, "distance": str(distance), "duration": str(duration)})
    return results


def _lengths(context: AppContext, kind: str, origin: Point, destination: Point) -> tuple[object, object]:
    """Return metres and seconds; both are 0 if there is no route, like the service."""
    if kind == _STRAIGHT:
        return round(metres(origin, destination)), 0
    try:
        result = path(context, _KINDS[kind], origin, destination)
    except Info as refusal:
        if refusal.info != ROUTE_FAIL:
            raise
        return 0, 0
    return result["distance"], result["duration"]
