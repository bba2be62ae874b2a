"""The way by bicycle between two points."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import AmapError, Info, failed
from soundstage.kernels.amap.rules.request import admit, point
from soundstage.kernels.amap.rules.shown import path as shown_path
from soundstage.kernels.amap.rules.ways import path
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """{data: {origin, destination, paths: [{distance, duration, steps}]}}, lengths as numbers.

    The service of version 4 says why it refuses under another name than the server reads, so that it shows "None".
    """
    origin, destination = arguments["origin_coordinates"], arguments["destination_coordinates"]
    try:
        admit(context, origin, destination)
        found = path(context, "bicycling", point(origin), point(destination))
    except Info as refusal:
        raise AmapError(failed("", refusal).kind, "Direction bicycling failed: None") from None
    return {"data": {"origin": origin, "destination": destination, "paths": [shown_path(found)]}}
