"""The `maps_directions` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.google_maps.rules.errors import Status, failed, missing
from soundstage.kernels.google_maps.rules.request import admit, check_mode, mode_of, present, written
from soundstage.kernels.google_maps.rules.ways import end, way
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Plan a route: {routes: [{summary, distance, duration, steps: [{instructions, distance, duration, travel_mode}]}]}."""
    origin, destination = written(arguments, "origin"), written(arguments, "destination")
    try:
        admit(context)
        result = _route(context, origin, destination, mode_of(arguments))
    except Status as refusal:
        raise failed("Directions request", refusal) from None
    leg = result["legs"][0]
    steps = [
        present(
            instructions=step.get("html_instructions"),
            distance=step.get("distance"),
            duration=step.get("duration"),
            travel_mode=step.get("travel_mode"),
        )
        for step in leg["steps"]
    ]
    shown = present(
        summary=result.get("summary"), distance=leg.get("distance"), duration=leg.get("duration"), steps=steps
    )
    return {"routes": [shown]}


def _route(context: AppContext, origin: str, destination: str, mode: str) -> Object:
    for name, text in (("origin", origin), ("destination", destination)):
        if not text:
            raise missing(f"'{name}'")
    check_mode(mode)
    start, goal = end(context, origin), end(context, destination)
    if start is None or goal is None:
        raise Status("NOT_FOUND")
    result = way(context, mode, start, goal)
    if result is None:
        raise Status("ZERO_RESULTS")
    return result
