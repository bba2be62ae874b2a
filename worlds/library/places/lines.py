"""Lines and their stops, made from lines.yaml and the streets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from soundstage.contexts.engine.geometry import Point, metres
from soundstage.contexts.engine.schema import Object
from soundstage.worlds.library.places.streets import Net

_PACE = {"bus": 4.6, "metro": 9.5, "rail": 33.0}
"""Metres a second, stops included."""
_STRETCH = {"bus": 1.15, "metro": 1.05, "rail": 1.08}


def rows(net: Net, specs: list[dict[str, Any]]) -> Iterator[tuple[str, Object]]:
    """Yield lines and their stops in order; stops away from a street get a path to it."""
    for spec in specs:
        yield "line", {name: spec[name] for name in ("id", "zh", "en", "kind", "city", "wait", "price")}
        before: Point | None = None
        for place, (zh, en, point) in enumerate(_stops(net, spec)):
            length = seconds = 0
            if before is not None:
                length = round(metres(before, point) * _STRETCH[spec["kind"]])
                seconds = round(length / _PACE[spec["kind"]])
                if "ride" in spec:
                    length, seconds = spec["ride"][place - 1]
            stop = {"line": spec["id"], "place": place, "zh": zh, "en": en, "node": _node(net, spec, place, point)}
            gate = {"gate": spec["gates"][place]} if "gates" in spec else {}
            yield "stop", {**stop, "metres": length, "seconds": seconds, **gate}
            before = point


def _stops(net: Net, spec: dict[str, Any]) -> Iterator[tuple[str, str, Point]]:
    if "stops" in spec:
        for zh, en, at in spec["stops"]:
            yield zh, en, _point(net, spec["city"], at)
        return
    street = net.by_name[spec["city"], spec["along"]]
    for i, (point, other) in enumerate(net.crossings(street)):
        if i % spec["every"] == 0:
            yield f"{street.spec['zh']}{other.spec['zh']}", f"{street.spec['en']} / {other.spec['en']}", point


def _point(net: Net, city: str, at: str | list[float]) -> Point:
    if isinstance(at, list):
        return Point(*at)
    first, second = at.split("×")
    cities = [city, *sorted({known for known, name in net.by_name if name == first} - {city})]
    return net.cross(next(known for known in cities if (known, first) in net.by_name), first, second)


def _node(net: Net, spec: dict[str, Any], place: int, point: Point) -> int:
    """Return the node of a stop. `access` is [street, point on it, metres to walk] if the stop is away from the street."""
    node = net.node(point, spec["city"])
    access = spec.get("access", [])
    if place < len(access) and access[place] is not None:
        name, start, length = access[place]
        street = net.by_name[spec["city"], name].id if name else None
        net.edge(net.node(Point(*start)), node, street, foot=length, oneway=False)
    elif isinstance(spec.get("stops", [[0, 0, ""]] * 99)[place][2], list):
        near = net.nearest(point)
        net.edge(near, node, None, foot=round(metres(net.at(near), point)), oneway=False)
    return node
