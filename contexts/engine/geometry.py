"""Distances and directions between points on the ground."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

EARTH = 6371000.0
"""Metres from the earth's middle, as great circles are measured here."""


class Point(NamedTuple):
    """Degrees east and north."""

    lng: float
    lat: float


_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?\Z")


def metres(a: Point, b: Point) -> float:
    """The great circle between two points, in metres."""
    north, south = math.radians(a.lat), math.radians(b.lat)
    width = math.sin(math.radians(b.lng - a.lng) / 2)
    height = math.sin((south - north) / 2)
    part = height * height + math.cos(north) * math.cos(south) * width * width
    return 2 * EARTH * math.asin(math.sqrt(part))


def heading(a: Point, b: Point) -> float:
    """Return the direction of `b` from `a` in degrees from north, clockwise, 0 to 360."""
    x = (b.lng - a.lng) * math.cos(math.radians((a.lat + b.lat) / 2))
    return math.degrees(math.atan2(x, b.lat - a.lat)) % 360


def sector(degrees: float) -> int:
    """The nearest of eight directions: 0 north, 1 north-east, 2 east … 7 north-west."""
    return int((degrees + 22.5) // 45) % 8


def along(a: Point, b: Point, part: float) -> Point:
    """Return the point at the fraction `part` of the way from `a` to `b`, with six decimals."""
    return Point(round(a.lng + (b.lng - a.lng) * part, 6), round(a.lat + (b.lat - a.lat) * part, 6))


def nearest_part(point: Point, a: Point, b: Point) -> float:
    """How far along the line from `a` to `b` (0 to 1) the point is nearest to it."""
    scale = math.cos(math.radians(point.lat))
    x, y = (b.lng - a.lng) * scale, b.lat - a.lat
    length = x * x + y * y
    if length == 0:
        return 0.0
    part = ((point.lng - a.lng) * scale * x + (point.lat - a.lat) * y) / length
    return min(1.0, max(0.0, part))


def crossing(a: Point, b: Point, c: Point, d: Point) -> tuple[float, float] | None:
    """Return where the line a–b crosses c–d as a fraction of each, or None if they do not cross."""
    x1, y1, x2, y2 = b.lng - a.lng, b.lat - a.lat, d.lng - c.lng, d.lat - c.lat
    turn = x1 * y2 - y1 * x2
    if abs(turn) < 1e-14:
        return None
    x, y = c.lng - a.lng, c.lat - a.lat
    first, second = (x * y2 - y * x2) / turn, (x * y1 - y * x1) / turn
    near = 1e-3
    if -near <= first <= 1 + near and -near <= second <= 1 + near:
        return min(1.0, max(0.0, first)), min(1.0, max(0.0, second))
    return None


def parse_lng_lat(text: str) -> Point | None:
    """A point as AMap writes it, "120.5,30.2"; None for anything else."""
    parts = text.split(",")
    if len(parts) != 2 or not all(_NUMBER.match(part.strip()) for part in parts):
        return None
    point = Point(float(parts[0]), float(parts[1]))
    return point if -180 <= point.lng <= 180 and -90 <= point.lat <= 90 else None


def parse_lat_lng(text: str) -> Point | None:
    """A point as Baidu and Google write it, "30.2,120.5"; None for anything else."""
    parts = text.split(",")
    return parse_lng_lat(f"{parts[1]},{parts[0]}") if len(parts) == 2 else None
