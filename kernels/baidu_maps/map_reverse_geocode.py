"""The `map_reverse_geocode` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import Refused, api_error
from soundstage.kernels.baidu_maps.rules.geocoding import reverse
from soundstage.kernels.baidu_maps.rules.request import admit, point
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return the address of a point: {status, result: {location, formatted_address, addressComponent, pois, …, cityCode}}."""
    location = f"{arguments.get('latitude', '')},{arguments.get('longitude', '')}"
    try:
        admit(context)
        result = reverse(context, point(location))
    except Refused as refused:
        raise api_error(refused) from None
    return {"status": 0, "result": result}
