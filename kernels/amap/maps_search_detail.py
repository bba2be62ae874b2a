"""The `maps_search_detail` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import AmapError, Info, failed
from soundstage.kernels.amap.rules.request import admit
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return the details of a place by its id.

    The result is {id, name, location, address, business_area, city, type, alias} and the members of `biz_ext` (rating, cost).
    """
    try:
        admit(context, arguments["id"])
    except Info as refusal:
        raise failed("Get poi detail", refusal) from None
    poi = context.get("poi", arguments["id"])
    if poi is None:
        raise AmapError("not_found", "No POI found")
    names = ("id", "name", "location", "address", "business_area", "city", "type", "alias")
    shown = {name: poi.get("cityname" if name == "city" else name) for name in names}
    more = poi.get("biz_ext")
    return {**shown, **more} if isinstance(more, dict) else shown
