"""The members of a service's response that the server returns; missing ones are null.

Source: the loops over `data[…]` in `amap_mcp_server/server.py`.
"""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object

_STEP = ("instruction", "road", "distance", "orientation", "duration")
_WALKING_STEP = ("instruction", "road", "distance", "action", "assistant_action")


def only(row: Object, *names: str) -> Object:
    """Return these members of an object, null if missing."""
    return {name: row.get(name) for name in names}


def path(route: Object) -> Object:
    """Return the server's members of a route."""
    steps = [only(step, *_STEP) for step in route.get("steps", [])]
    return {**only(route, "distance", "duration"), "steps": steps}


def transit(result: Object) -> Object:
    """Return the server's members of a transit route."""
    segments = [_segment(segment) for segment in result.get("segments") or []]
    return {**only(result, "duration", "walking_distance"), "segments": segments}


def _segment(segment: Object) -> Object:
    walking = segment.get("walking", {})
    steps = [only(step, *_WALKING_STEP) for step in walking.get("steps") or []]
    return {
        "walking": {**only(walking, "origin", "destination", "distance", "duration"), "steps": steps},
        "bus": {"buslines": [_busline(line) for line in segment.get("bus", {}).get("buslines") or []]},
        "entrance": only(segment.get("entrance", {}), "name"),
        "exit": only(segment.get("exit", {}), "name"),
        "railway": only(segment.get("railway", {}), "name", "trip"),
    }


def _busline(line: Object) -> Object:
    return {
        **only(line, "name"),
        "departure_stop": only(line.get("departure_stop", {}), "name"),
        "arrival_stop": only(line.get("arrival_stop", {}), "name"),
        **only(line, "distance", "duration"),
        "via_stops": [only(stop, "name") for stop in line.get("via_stops") or []],
    }
