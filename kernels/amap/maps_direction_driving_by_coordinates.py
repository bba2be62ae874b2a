"""The `maps_direction_driving_by_coordinates` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import Info, failed
from soundstage.kernels.amap.rules.request import admit, point
from soundstage.kernels.amap.rules.shown import path as shown_path
from soundstage.kernels.amap.rules.ways import path
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Plan a driving route: {route: {origin, destination, paths: [{path, distance, duration, steps}]}}.

    `path` is null, because the service does not send one.
    """
    origin, destination = arguments["origin"], arguments["destination"]
    try:
        admit(context, origin, destination)
        result = path(context, "driving", point(origin), point(destination))
    except Info as refusal:
        raise failed("Direction Driving", refusal) from None
    paths = [{"path": None, **shown_path(result)}]
    return {"route": {"origin": origin, "destination": destination, "paths": paths}}
