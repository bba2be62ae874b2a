"""The `maps_reverse_geocode` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import parse_lat_lng
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.google_maps.rules.errors import Status, failed, invalid
from soundstage.kernels.google_maps.rules.geocoding import nearest
from soundstage.kernels.google_maps.rules.request import admit, present, written
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return the nearest address of a point: {formatted_address, place_id, address_components}."""
    try:
        admit(context)
        point = parse_lat_lng(f"{written(arguments, 'latitude')},{written(arguments, 'longitude')}")
        if point is None:
            raise invalid("latlng")
        result = nearest(context, point)
        if result is None:
            raise Status("ZERO_RESULTS")
    except Status as refusal:
        raise failed("Reverse geocoding", refusal) from None
    parts = result.get("address_components")
    address = result["formatted_address"]
    return present(formatted_address=address, place_id=result.get("place_id"), address_components=parts)
