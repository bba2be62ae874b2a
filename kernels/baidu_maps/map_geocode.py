"""The `map_geocode` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import Refused, api_error
from soundstage.kernels.baidu_maps.rules.geocoding import geocode
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Geocode an address: {status, result: {location: {lng, lat}, precise, confidence, comprehension, level}}."""
    try:
        result = geocode(context, f"{arguments.get('address', '')}", arguments.get("is_china", "true"))
    except Refused as refused:
        raise api_error(refused) from None
    return {"status": 0, "result": result}
