"""The `maps_bicycling_by_coordinates` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import AmapError, Info, failed
from soundstage.kernels.amap.rules.request import admit, point
from soundstage.kernels.amap.rules.shown import path as shown_path
from soundstage.kernels.amap.rules.ways import path
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Plan a cycling route: {data: {origin, destination, paths: [{distance, duration, steps}]}} with numeric lengths.

    The service's version 4 names the reason of an error differently than the server expects, so the server prints "None".
    """
    origin, destination = arguments["origin_coordinates"], arguments["destination_coordinates"]
    try:
        admit(context, origin, destination)
        result = path(context, "bicycling", point(origin), point(destination))
    except Info as refusal:
        raise AmapError(failed("", refusal).kind, "Direction bicycling failed: None") from None
    return {"data": {"origin": origin, "destination": destination, "paths": [shown_path(result)]}}
