"""The `maps_around_search` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import Info, failed
from soundstage.kernels.amap.rules.pois import around
from soundstage.kernels.amap.rules.shown import only
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Search places around a point, nearest first: {pois: [{id, name, address, typecode}]}, at most twenty."""
    try:
        result = around(context, arguments["location"], arguments["radius"], arguments["keywords"])
    except Info as refusal:
        raise failed("Around Search", refusal) from None
    return {"pois": [only(poi, "id", "name", "address", "typecode") for poi in result]}
