"""The `maps_distance_matrix` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import text
from soundstage.kernels.google_maps.rules.errors import Status, failed, missing
from soundstage.kernels.google_maps.rules.request import admit, array, check_mode, mode_of
from soundstage.kernels.google_maps.rules.ways import end, way
from soundstage.kernels.types import Arguments

_MOST_ENDS, _MOST_ELEMENTS = 25, 100


def run(context: AppContext, arguments: Arguments) -> Object:
    """Measure distances and durations between several places, by origin.

    The result is {origin_addresses, destination_addresses, results: [{elements: [{status, duration, distance}]}]}.
    """
    origins = _joined(array(arguments, "origins", "join"))
    destinations = _joined(array(arguments, "destinations", "join"))
    mode = mode_of(arguments)
    try:
        return _matrix(context, origins, destinations, mode)
    except Status as refusal:
        raise failed("Distance matrix request", refusal) from None


def _joined(values: list[object]) -> list[str]:
    """Return the values joined by `|` and split again, as the service receives them."""
    joined = "|".join("" if value is None else text(value) for value in values)
    return joined.split("|") if joined else []


def _matrix(context: AppContext, origins: list[str], destinations: list[str], mode: str) -> Object:
    admit(context)
    if not origins:
        raise missing("'origins'")
    if not destinations:
        raise missing("'destinations'")
    check_mode(mode)
    if max(len(origins), len(destinations)) > _MOST_ENDS:
        raise Status("MAX_DIMENSIONS_EXCEEDED")
    if len(origins) * len(destinations) > _MOST_ELEMENTS:
        raise Status("MAX_ELEMENTS_EXCEEDED")
    starts = [end(context, text) for text in origins]
    goals = [end(context, text) for text in destinations]
    return {
        "origin_addresses": [_address(start) for start in starts],
        "destination_addresses": [_address(goal) for goal in goals],
        "results": [{"elements": [_element(context, mode, start, goal) for goal in goals]} for start in starts],
    }


def _address(row: Object | None) -> str:
    return str(row["formatted_address"]) if row else ""


def _element(context: AppContext, mode: str, start: Object | None, goal: Object | None) -> Object:
    if start is None or goal is None:
        return {"status": "NOT_FOUND"}
    result = way(context, mode, start, goal)
    if result is None:
        return {"status": "ZERO_RESULTS"}
    leg = result["legs"][0]
    return {"status": "OK", "duration": leg["duration"], "distance": leg["distance"]}
