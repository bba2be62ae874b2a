"""Routes in the format of AMap's direction services, from the session's rows or the library's street graph.

A route is `{distance, duration, steps: [{instruction, road, distance, orientation, duration}]}` with lengths as strings; a
missing road is [].
"""

from __future__ import annotations

from typing import Any, Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, metres, parse_lng_lat, sector
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import OVER_DIRECTION_RANGE, ROUTE_FAIL, Info
from soundstage.kernels.engines.places.atlas import Atlas, atlas_of
from soundstage.kernels.engines.places.routes import Mode, Part, Way, route

Kind = Literal["driving", "walking", "bicycling"]

_MODES: dict[Kind, Mode] = {"driving": "car", "walking": "foot", "bicycling": "bicycle"}
_MOVING: dict[Kind, str] = {"driving": "行驶", "walking": "步行", "bicycling": "骑行"}
_FARTHEST = {"walking": 100_000, "bicycling": 500_000}
SECTORS = ("北", "东北", "东", "东南", "南", "西南", "西", "西北")


def path(context: AppContext, kind: Kind, origin: Point, destination: Point) -> Object:
    """Return the route between two points.

    Raises:
        Info: OVER_DIRECTION_RANGE if the ends are too far apart, ROUTE_FAIL if there is no route.
    """
    if metres(origin, destination) > _FARTHEST.get(kind, float("inf")):
        raise Info(OVER_DIRECTION_RANGE)
    row = own_row(context, kind, origin, destination)
    if row is not None and row["mode"] == kind:
        return row
    if row is None and context.source("route") == "own":
        raise Info(ROUTE_FAIL)
    atlas = atlas_of(context)
    way = route(atlas, _MODES[kind], *told_ends(row, origin, destination))
    if way is None:
        raise Info(ROUTE_FAIL)
    return _described(atlas, kind, way)


def own_row(context: AppContext, kind: str, origin: Point, destination: Point) -> Object | None:
    """Return the session's row for a route, or None.

    A row that states only a road applies to every route without a separate row, like the recorded mock of the service.
    """
    if context.source("route") == "library":
        return None
    rows = context.list("route")
    exact = [row for row in rows if row["mode"] == kind and ends_of(row) == (origin, destination)]
    return next(iter(exact or [row for row in rows if row["mode"] == "any"]), None)


def ends_of(row: Object) -> tuple[Point | None, Point | None]:
    """Return the start and end of a row's route."""
    return parse_lng_lat(row["from"]), parse_lng_lat(row["to"])


def told_ends(row: Object | None, origin: Point, destination: Point) -> tuple[Point, Point]:
    """Return the ends of a route in the library: the ends of the row that names its road, or the requested ones."""
    start, end = ends_of(row) if row is not None else (None, None)
    return start or origin, end or destination


def road_of(atlas: Atlas, street: str | None) -> Any:
    """Return a street's name, or [] if there is none."""
    return atlas.streets[street].zh if street else []


def _described(atlas: Atlas, kind: Kind, way: Way) -> Object:
    length: Any = int if kind == "bicycling" else str
    steps = []
    for part, after in way.turns:
        orientation = SECTORS[sector(part.heading)]
        road = road_of(atlas, part.street)
        start = f"沿{road}向{orientation}" if road else ""
        then = _turn(part, after) if after is not None else "到达目的地"
        steps.append(
            {
                "instruction": f"{start}{_MOVING[kind]}{part.metres}米{then}",
                "road": road,
                "distance": length(part.metres),
                "orientation": orientation,
                "duration": length(part.seconds),
            }
        )
    return {"distance": length(way.metres), "duration": length(way.seconds), "steps": steps}


def _turn(part: Part, after: Part) -> str:
    degrees = part.turn_to(after)
    if abs(degrees) < 25:
        return "直行"
    if abs(degrees) > 155:
        return "左转调头"
    side = "右" if degrees > 0 else "左"
    return f"{side}转"
