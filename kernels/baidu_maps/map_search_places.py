"""The `map_search_places` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import BaiduError, Refused, api_error, invalid
from soundstage.kernels.baidu_maps.rules.pois import around, in_region
from soundstage.kernels.baidu_maps.rules.request import admit
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Search places in a region or around a point: {status, message, result_type, query_type, results: [place]}, at most ten."""
    query, tag = f"{arguments.get('query', '')}", f"{arguments.get('tag', '')}"
    location = arguments.get("location", "")
    is_china = arguments.get("is_china", "true")
    if is_china not in ("true", "false"):
        text = "input `is_china` invaild, please reinput `is_china` with `true` or `false`"
        raise BaiduError("invalid", text)
    try:
        admit(context)
        if not query:
            raise invalid()
        if location:
            results = around(context, query, tag, f"{location}", f"{arguments.get('radius', '')}")
        else:
            results = in_region(context, query, tag, f"{arguments.get('region', '全国')}")
    except Refused as refused:
        raise api_error(refused) from None
    if is_china == "false" and context.source("poi") == "library":
        results = []  # the service for other countries has none of the library's places
    kinds = {"result_type": "poi_type", "query_type": "general"}
    return {"status": 0, "message": "ok", **kinds, "results": results}
