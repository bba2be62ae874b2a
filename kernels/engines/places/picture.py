"""A city map as a picture: streets as polylines, venues as dots, and one route.

The pages of the three map apps show it next to the tools, each with its own labels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from soundstage.contexts.engine.geometry import Point
from soundstage.kernels.engines.places.atlas import Atlas, Street, Venue
from soundstage.kernels.engines.places.routes import Way

WIDTH, HEIGHT = 720, 520
_MARGIN = 24
_MOST_DOTS = 120


@dataclass(frozen=True, slots=True)
class Dot:
    """A venue in the picture, with its pixel coordinates."""

    venue: Venue
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Picture:
    """The streets as `points` of polylines in a box of WIDTH × HEIGHT, the venues, and the route if one is shown."""

    streets: tuple[tuple[Street, str], ...]
    dots: tuple[Dot, ...]
    way: str


@dataclass(frozen=True, slots=True)
class Section:
    """A region that is shown in one picture: a city or a neighbourhood of it."""

    key: str
    city: str
    region: str | None


SECTIONS = (
    Section("yunhai", "990100", None),
    Section("yanzhou", "990200", None),
    Section("yanhui", "990300", None),
    Section("studio", "310000", "studio"),
    Section("campus", "310000", "campus"),
)


def section_of(venue: Venue) -> Section:
    """Return the section that shows a venue."""
    region = venue.row.get("region")
    if region is not None:
        return next(section for section in SECTIONS if section.key == region)
    return next(section for section in SECTIONS if section.city[:4] == venue.adcode[:4])


def venues_of(atlas: Atlas, section: Section) -> list[Venue]:
    """Return a section's venues, most popular first."""
    results = [venue for venue in atlas.venues.values() if section_of(venue) is section]
    return sorted(results, key=lambda venue: -int(venue.row.get("comments", 0)))


def picture(atlas: Atlas, section: Section, venues: Sequence[Venue], way: Way | None) -> Picture:
    """Draw the streets of a section with some of its venues and a route."""
    places = {venue.street for venue in atlas.venues.values() if section_of(venue) is section}
    streets = [atlas.streets[street] for street in sorted(street for street in places if street)]
    points = [anchor.point for street in streets for anchor in atlas.anchors[street.id]]
    box = _Box(points)
    drawn = tuple((street, box.line([anchor.point for anchor in atlas.anchors[street.id]])) for street in streets)
    dots = tuple(Dot(venue, *box.at(venue.point)) for venue in venues[:_MOST_DOTS])
    led = box.line([point for part in way.parts for point in part.points]) if way is not None else ""
    return Picture(drawn, dots, led)


class _Box:
    """Projects geographic points to pixels, north up, with one scale for both axes."""

    def __init__(self, points: Sequence[Point]) -> None:
        west, east = min(p.lng for p in points), max(p.lng for p in points)
        south, north = min(p.lat for p in points), max(p.lat for p in points)
        self._stretch = math.cos(math.radians((south + north) / 2))
        self._west, self._north = west, north
        width, height = (east - west) * self._stretch, north - south
        self._scale = min((WIDTH - 2 * _MARGIN) / width, (HEIGHT - 2 * _MARGIN) / height)

    def at(self, point: Point) -> tuple[int, int]:
        x = _MARGIN + (point.lng - self._west) * self._stretch * self._scale
        y = _MARGIN + (self._north - point.lat) * self._scale
        return round(x), round(y)

    def line(self, points: Sequence[Point]) -> str:
        return " ".join("{},{}".format(*self.at(point)) for point in points)
