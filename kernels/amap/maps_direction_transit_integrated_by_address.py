"""The `maps_direction_transit_integrated_by_address` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap import maps_direction_transit_integrated_by_coordinates
from soundstage.kernels.amap.rules.by_address import between
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Plan a transit route between two addresses: the result for coordinates and {addresses: {origin, destination}}."""

    def route(context: AppContext, origin: str, destination: str) -> Object:
        cities = {"city": arguments["origin_city"], "cityd": arguments["destination_city"]}
        return maps_direction_transit_integrated_by_coordinates.run(
            context, {"origin": origin, "destination": destination, **cities}
        )

    return between(context, arguments, route)
