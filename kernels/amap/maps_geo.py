"""The `maps_geo` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import Info, failed
from soundstage.kernels.amap.rules.geocoding import geocodes
from soundstage.kernels.amap.rules.shown import only
from soundstage.kernels.types import Arguments

_SHOWN = ("country", "province", "city", "citycode", "district", "street", "number", "adcode", "location", "level")


def run(context: AppContext, arguments: Arguments) -> Object:
    """Geocode an address: {return: [{country, province, city, citycode, district, street, number, adcode, location, level}]}."""
    try:
        result = geocodes(context, arguments["address"], arguments["city"])
    except Info as refusal:
        raise failed("Geocoding", refusal) from None
    return {"return": [only(row, *_SHOWN) for row in result]}
