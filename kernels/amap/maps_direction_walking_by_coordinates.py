"""The `maps_direction_walking_by_coordinates` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import Info, failed
from soundstage.kernels.amap.rules.request import admit, point
from soundstage.kernels.amap.rules.shown import path as shown_path
from soundstage.kernels.amap.rules.ways import path
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Plan a walking route: {route: {origin, destination, paths: [{distance, duration, steps}]}} with lengths as strings."""
    origin, destination = arguments["origin"], arguments["destination"]
    try:
        admit(context, origin, destination)
        result = path(context, "walking", point(origin), point(destination))
    except Info as refusal:
        raise failed("Direction Walking", refusal) from None
    return {"route": {"origin": origin, "destination": destination, "paths": [shown_path(result)]}}
