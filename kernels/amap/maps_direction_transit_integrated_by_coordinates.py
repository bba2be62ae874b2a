"""The `maps_direction_transit_integrated_by_coordinates` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import Info, failed
from soundstage.kernels.amap.rules.request import admit, point
from soundstage.kernels.amap.rules.shown import transit
from soundstage.kernels.amap.rules.transit import transits
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Plan a transit route: {route: {origin, destination, distance, transits}}.

    `transits` is a list of {duration, walking_distance, segments}, empty if there is no route.
    """
    origin, destination = arguments["origin"], arguments["destination"]
    try:
        admit(context, origin, destination, arguments["city"], arguments["cityd"])
        distance, result = transits(context, point(origin), point(destination))
    except Info as refusal:
        raise failed("Direction Transit Integrated", refusal) from None
    ends = {"origin": origin, "destination": destination}
    return {"route": {**ends, "distance": distance, "transits": [transit(one) for one in result]}}
