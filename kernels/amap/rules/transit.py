"""Transit routes (v3/direction/transit/integrated): lists of segments, each with a walk and a ride."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.request import written
from soundstage.kernels.amap.rules.ways import own_row, road_of, told_ends
from soundstage.kernels.engines.places.atlas import Atlas, Stop, atlas_of
from soundstage.kernels.engines.places.routes import route
from soundstage.kernels.engines.places.transit import Journey, Ride, Walk, journey


def transits(context: AppContext, origin: Point, destination: Point) -> tuple[str, list[Object]]:
    """Return the walking distance and the transit routes; ("0", []) if there are none."""
    row = own_row(context, "transit", origin, destination)
    if row is not None and row["mode"] == "transit":
        return str(row.get("distance", "0")), row.get("transits", [])
    if row is None and context.source("route") == "own":
        return "0", []
    start, end = told_ends(row, origin, destination)
    atlas = atlas_of(context)
    result = journey(atlas, start, end)
    if result is None:
        return "0", []
    walk = route(atlas, "foot", start, end)
    return str(walk.metres if walk else result.metres), [_transit(atlas, result)]


def _transit(atlas: Atlas, result: Journey) -> Object:
    segments: list[Object] = []
    walked: Walk | None = None
    at = result.legs[0].start if isinstance(result.legs[0], Walk) else atlas.nodes[result.legs[0].board.node]
    for leg in result.legs:
        if isinstance(leg, Walk):
            walked = leg
            continue
        walked = walked or Walk(0, at, at, None, leg.board)
        segments.append({"walking": _walking(atlas, walked), **_riding(leg)})
        walked, at = None, atlas.nodes[leg.alight.node]
    if walked is not None and not walked.within:
        segments.append({"walking": _walking(atlas, walked), **_without_ride()})
    return {"duration": str(result.seconds), "walking_distance": str(result.walked), "segments": segments}


def _walking(atlas: Atlas, walk: Walk) -> Object:
    road = road_of(atlas, walk.street)
    aim = f"到达{station(walk.to)}" if walk.to is not None else "到达目的地"
    along = f"沿{road}" if road and walk.to is None else ""
    step = {
        "instruction": f"{along}步行{walk.metres}米{aim}",
        "road": road,
        "distance": str(walk.metres),
        "action": [],
        "assistant_action": aim,
    }
    ends = {"origin": written(walk.start), "destination": written(walk.end)}
    lengths = {"distance": str(walk.metres), "duration": str(walk.seconds)}
    return {**ends, **lengths, "steps": [step] if walk.metres else []}


def _riding(ride: Ride) -> Object:
    first, last = ride.line.stops[0], ride.line.stops[-1]
    if ride.towards == first:
        first, last = last, first
    name = f"{ride.line.zh}({first.zh}--{last.zh})"
    if ride.line.kind == "rail":
        return {**_without_ride(), "railway": {"name": name, "trip": ride.line.id.upper()}}
    busline = {
        "name": name,
        "departure_stop": {"name": ride.board.zh},
        "arrival_stop": {"name": ride.alight.zh},
        "distance": str(ride.metres),
        "duration": str(ride.seconds),
        "via_stops": [{"name": stop.zh} for stop in ride.between],
    }
    gates: Any = {"entrance": {"name": ride.board.gate or []}, "exit": {"name": ride.alight.gate or []}}
    return {**_without_ride(), "bus": {"buslines": [busline]}, **gates}


def _without_ride() -> Object:
    return {
        "bus": {"buslines": []},
        "entrance": {"name": []},
        "exit": {"name": []},
        "railway": {"name": None, "trip": None},
    }


def station(stop: Stop) -> str:
    """Return the name of a stop with the suffix 站."""
    return stop.zh if stop.zh.endswith("站") else f"{stop.zh}站"
