"""The `map_directions_matrix` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import Refused, api_error, invalid
from soundstage.kernels.baidu_maps.rules.request import admit, no_page, point
from soundstage.kernels.baidu_maps.rules.ways import MODES, distance_text, duration_text, way
from soundstage.kernels.types import Arguments

_MOST_PAIRS = 100


def run(context: AppContext, arguments: Arguments) -> Object:
    """Measure distances and durations between several points, by origin, then by destination.

    The result is {status, result: [{distance: {text, value}, duration: {text, value}}], message}.
    """
    origins, destinations = f"{arguments.get('origins', '')}", f"{arguments.get('destinations', '')}"
    model = f"{arguments.get('model', 'driving')}"
    if model not in MODES:
        raise no_page(f"routematrix/v2/{model}", origins=origins, destinations=destinations)
    try:
        admit(context)
        starts, ends = _points(origins), _points(destinations)
        if len(starts) * len(ends) > _MOST_PAIRS:
            raise invalid()
        results = [_element(context, model, start, end) for start in starts for end in ends]
    except Refused as refused:
        raise api_error(refused) from None
    return {"status": 0, "result": results, "message": "成功"}


def _points(text: str) -> list[Point]:
    return [point(one) for one in text.split("|")]


def _element(context: AppContext, model: str, start: Point, end: Point) -> Object:
    """Return distance and duration; both are 0 if there is no route."""
    result = way(context, model, start, end) or {"distance": 0, "duration": 0}
    length, seconds = result["distance"], result["duration"]
    return {
        "distance": {"text": distance_text(length), "value": length},
        "duration": {"text": duration_text(seconds), "value": seconds},
    }
