"""Routes between points (directionlite/v1 and routematrix/v2), from the session's rows or the library's street graph."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, metres
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import Refused, invalid
from soundstage.kernels.baidu_maps.rules.request import of_row
from soundstage.kernels.engines.places.atlas import Atlas, Stop, atlas_of
from soundstage.kernels.engines.places.ground import traffic
from soundstage.kernels.engines.places.routes import Mode, Part, Way, route
from soundstage.kernels.engines.places.transit import Ride, Walk, journey

MODES: dict[str, Mode] = {"driving": "car", "riding": "bicycle", "walking": "foot"}
TRANSIT = "transit"
_LONGEST_WALK = 200_000


def way(context: AppContext, model: str, origin: Point, destination: Point) -> Object | None:
    """Return the route for a model (driving, riding, walking, transit), or None if there is none.

    Raises:
        Refused: A walk exceeds 200 km.
    """
    if model == "walking" and metres(origin, destination) > _LONGEST_WALK:
        raise invalid()
    source = context.source("route")
    if source != "library":
        for row in context.list("route", {"model": model}):
            if (of_row(row.get("origin")), of_row(row.get("destination"))) == (origin, destination):
                return {k: v for k, v in row.items() if k not in ("id", "origin", "destination", "model")}
    if source == "own":
        return None
    atlas = atlas_of(context)
    if model == TRANSIT:
        return _by_transit(atlas, origin, destination)
    result = route(atlas, MODES[model], origin, destination)
    return _route(context, atlas, model, result) if result is not None else None


def nothing() -> Refused:
    """Return the service's error for no result."""
    return Refused("not_found", "无返回结果")


def distance_text(length: int) -> str:
    """Format a distance in metres."""
    tenths = (length + 50) // 100
    return f"{tenths // 10}.{tenths % 10}公里" if length >= 1000 else f"{length}米"


def duration_text(seconds: int) -> str:
    """Format a duration in seconds."""
    return f"{(seconds + 30) // 60}分钟"


def _route(context: AppContext, atlas: Atlas, model: str, result: Way) -> Object:
    steps = [_step(atlas, model, part, after) for part, after in result.turns]
    lengths: Object = {"distance": result.metres, "duration": result.seconds}
    if model == "driving":
        streets = [atlas.streets[part.street] for part in result.parts if part.street]
        condition = max((traffic(atlas, street, context.now()) for street in streets), default=1)
        lengths |= {"traffic_condition": condition, "toll": 0}
    return {**lengths, "steps": steps}


def _step(atlas: Atlas, model: str, part: Part, after: Part | None) -> Object:
    """Return the step for one street. `direction` counts steps of 30 degrees from north, `turn` is Baidu's code of a turn."""
    name = atlas.streets[part.street].zh if part.street else ""
    verb = {"driving": "行驶", "riding": "骑行", "walking": "步行"}[model]
    street = f"沿<b>{name}</b>" if name else ""
    words, turn = _turn(part.turn_to(after)) if after is not None else ("到达终点", 0)
    step: Object = {
        "distance": part.metres,
        "duration": part.seconds,
        "instruction": f"{street}{verb}<b>{distance_text(part.metres)}</b>,<b>{words}</b>",
    }
    direction = round(part.heading / 30) % 12
    if model == "driving":
        return {**step, "leg_index": 0, "direction": direction, "turn": turn}
    if model == "riding":
        return {**step, "direction": direction, "turn_type": words if after is not None else "直行"}
    return {**step, "direction": direction}


def _turn(degrees: float) -> tuple[str, int]:
    if abs(degrees) < 25:
        return "直行", 1
    if abs(degrees) > 155:
        return "掉头", 5
    return ("右转", 3) if degrees > 0 else ("左转", 7)


def _by_transit(atlas: Atlas, origin: Point, destination: Point) -> Object | None:
    result = journey(atlas, origin, destination)
    if result is None:
        return None
    legs = [[_walk(leg) if isinstance(leg, Walk) else _ride(leg)] for leg in result.legs]
    return {"distance": result.metres, "duration": result.seconds, "price": result.price, "steps": legs}


def _walk(leg: Walk) -> Object:
    return {
        "distance": leg.metres,
        "duration": leg.seconds,
        "instruction": f"步行{leg.metres}米",
        "vehicle": {},
    }


def _ride(leg: Ride) -> Object:
    stops = len(leg.between) + 1
    aim = _station(leg.alight)
    return {
        "distance": leg.metres,
        "duration": leg.seconds,
        "instruction": f"乘坐{leg.line.zh}({leg.towards.zh}方向)经过{stops}站到达{aim}",
        "vehicle": {"name": leg.line.zh, "start_name": leg.board.zh, "end_name": aim, "stop_num": stops},
    }


def _station(stop: Stop) -> str:
    return stop.zh if stop.zh.endswith("站") else f"{stop.zh}站"
