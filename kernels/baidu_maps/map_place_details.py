"""The `map_place_details` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import Refused, api_error, invalid
from soundstage.kernels.baidu_maps.rules.pois import shown
from soundstage.kernels.baidu_maps.rules.request import admit
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return the details of a place by its id: {status, message, result: place}."""
    try:
        admit(context)
        row = context.get("poi", f"{arguments.get('uid', '')}")
        if row is None:
            raise invalid()
    except Refused as refused:
        raise api_error(refused) from None
    return {"status": 0, "message": "ok", "result": shown(row)}
