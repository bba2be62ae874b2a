"""Traffic on one street or in an area (traffic/v1)."""

from __future__ import annotations

from collections.abc import Callable

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, metres
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import invalid
from soundstage.kernels.baidu_maps.rules.request import point
from soundstage.kernels.engines.digits import bounded_integer
from soundstage.kernels.engines.places.atlas import Atlas, Street, atlas_of
from soundstage.kernels.engines.places.ground import speed, traffic

_STATES = ("", "畅通", "缓行", "拥堵", "严重拥堵")
_WIDEST = 1000
_MOST = 10


def of_road(context: AppContext, road_name: str, city: str) -> Object:
    """Return the traffic on a street of a city; words after its name, such as a direction, are ignored."""
    atlas = atlas_of(context)
    streets = [s for s in atlas.streets.values() if s.city and atlas.lies_in(s.city, city)]
    street = next((s for s in streets if road_name.startswith(s.zh)), None)
    if street is None:
        raise invalid()
    return _description(context, [street])


def of_area(context: AppContext, inside: Callable[[Point], bool]) -> Object:
    """Return the traffic on the streets with a crossing in an area."""
    atlas = atlas_of(context)
    results = [
        atlas.streets[street] for street, anchors in atlas.anchors.items() if any(inside(a.point) for a in anchors)
    ]
    return _description(context, results[:_MOST])


def circle(center: str, radius: str) -> Callable[[Point], bool]:
    """Return a predicate for points within a radius."""
    middle = point(center)
    wide = bounded_integer(radius, _WIDEST) if radius.isdecimal() else 0
    if not 1 <= wide <= _WIDEST:
        raise invalid()
    return lambda place: metres(middle, place) <= wide


def rectangle(bounds: str) -> Callable[[Point], bool]:
    """Return a predicate for points in a rectangle."""
    corners = [point(text) for text in bounds.split(";")]
    if len(corners) != 2:
        raise invalid()
    low, high = corners
    return lambda place: low.lng <= place.lng <= high.lng and low.lat <= place.lat <= high.lat


def polygon(vertexes: str) -> Callable[[Point], bool]:
    """Return a predicate for points in a polygon with at least three corners."""
    corners = [point(text) for text in vertexes.split(";")]
    if len(corners) < 3:
        raise invalid()

    def inside(place: Point) -> bool:
        crossed = False
        for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
            if (a.lat > place.lat) != (b.lat > place.lat):
                at = a.lng + (place.lat - a.lat) / (b.lat - a.lat) * (b.lng - a.lng)
                crossed ^= place.lng < at
        return crossed

    return inside


def _description(context: AppContext, streets: list[Street]) -> Object:
    """Return {description, evaluation: {status, status_desc}, road_traffic}, most congested streets first."""
    atlas = atlas_of(context)
    states = [(street, traffic(atlas, street, context.now())) for street in streets]
    states.sort(key=lambda pair: -pair[1])
    overall = round(sum(state for _, state in states) / len(states)) if states else 0
    if len(states) == 1:
        street, state = states[0]
        description = f"{street.zh}：{'整体畅通' if state == 1 else f'双向{_STATES[state]}'}。"
    elif not states:
        description = "该区域暂无路况信息。"
    else:
        slow = "".join(f"{street.zh}：{_STATES[state]}。" for street, state in states if state > 1)
        description = f"该区域整体{_STATES[overall]}。{slow}"
    return {
        "description": description,
        "evaluation": {"status": overall, "status_desc": _STATES[overall] or "未知路况"},
        "road_traffic": [_road(context, atlas, street, state) for street, state in states],
    }


def _road(context: AppContext, atlas: Atlas, street: Street, state: int) -> Object:
    if state == 1:
        return {"road_name": street.zh}
    pace = speed(street, context.now(), state)
    section = {
        "congestion_distance": 60 * state + int(pace) * 5,
        "speed": pace,
        "status": state,
        "congestion_trend": "持平",
        "section_desc": f"{street.zh}路口,由西向东",
    }
    return {"congestion_sections": [section], "road_name": street.zh}
