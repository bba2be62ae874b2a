"""The `maps_geocode` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.google_maps.rules.errors import Status, failed, missing
from soundstage.kernels.google_maps.rules.geocoding import located
from soundstage.kernels.google_maps.rules.request import admit, present, written
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Geocode an address: {location: {lat, lng}, formatted_address, place_id} of the first hit."""
    address = written(arguments, "address")
    try:
        admit(context)
        if not address:
            raise missing("'address', 'components', 'latlng' or 'place_id'")
        result = located(context, address)
        if result is None:
            raise Status("ZERO_RESULTS")
    except Status as refusal:
        raise failed("Geocoding", refusal) from None
    location = {"lat": result["lat"], "lng": result["lng"]}
    return present(location=location, formatted_address=result["formatted_address"], place_id=result.get("place_id"))
