"""The `maps_text_search` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import Info, failed
from soundstage.kernels.amap.rules.pois import by_keywords
from soundstage.kernels.amap.rules.shown import only
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Search places by keywords: {suggestion: {keywords, cities}, pois: [{id, name, address, typecode}]}, at most twenty."""
    try:
        result = by_keywords(context, arguments["keywords"], arguments["city"], arguments["citylimit"])
    except Info as refusal:
        raise failed("Text Search", refusal) from None
    pois = [only(poi, "id", "name", "address", "typecode") for poi in result]
    return {"suggestion": {"keywords": [], "cities": []}, "pois": pois}
