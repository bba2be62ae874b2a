"""Streets and the graph of ways, generated from the lines in streets.yaml.

Streets cross where their lines do; between crossings a street has a node every 340 metres at most. A stretch with recorded
lengths divides them among its edges in proportion to the line, so that their sum equals the recorded value.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from soundstage.contexts.engine.geometry import Point, along, crossing, metres, nearest_part
from soundstage.contexts.engine.schema import Object

_SPACING = 340
_HOUSE = 13
"""Metres from one number to the next."""
_KMH = 21


@dataclass
class Street:
    """A street as it is being laid out; `places` are (metres from the start, point), its nodes among them."""

    id: str
    city: str
    spec: dict[str, Any]
    points: list[Point]
    places: list[tuple[float, Point]] = field(default_factory=list)

    @property
    def line(self) -> list[tuple[float, Point]]:
        """The points of its line, with how far each is from the start."""
        corners, total = [(0.0, self.points[0])], 0.0
        for a, b in zip(self.points, self.points[1:], strict=False):
            total += metres(a, b)
            corners.append((total, b))
        return corners

    def where(self, point: Point) -> tuple[float, float]:
        """Return the position along the street that is nearest to a point, and the distance to it."""
        best = (0.0, float("inf"))
        for (start, a), (end, b) in zip(self.line, self.line[1:], strict=False):
            part = nearest_part(point, a, b)
            away = metres(point, along(a, b, part))
            if away < best[1]:
                best = (start + (end - start) * part, away)
        return best

    def at(self, distance: float) -> Point:
        """Return the point at a distance in metres from the street's start."""
        for (start, a), (end, b) in zip(self.line, self.line[1:], strict=False):
            if distance <= end or b == self.points[-1]:
                return along(a, b, min(1.0, (distance - start) / (end - start)) if end > start else 0.0)
        return self.points[-1]


class Net:
    """The streets of all cities, their nodes and the ways between them."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.streets = [
            Street(f"{city}-{i:02}", city, spec, [Point(*point) for point in spec["points"]])
            for city, specs in data.items()
            if city != "links"
            for i, spec in enumerate(specs, 1)
        ]
        self.by_name = {(street.city, street.spec["zh"]): street for street in self.streets}
        self._ids: dict[Point, int] = {}
        self._nodes: list[Object] = []
        self._edges: list[Object] = []
        self.links = data["links"]
        self._lay_out()
        for street in self.streets:
            self._connect(street)
        self._on_streets = tuple(self._ids)
        for i, link in enumerate(self.links, 1):
            self._link(f"link-{i}", link)

    def node(self, point: Point, city: str = "") -> int:
        """The id of the node at this point, made where there is none."""
        if point not in self._ids:
            self._ids[point] = len(self._ids) + 1
            self._nodes.append({"id": self._ids[point], "lng": point.lng, "lat": point.lat, "city": city})
        return self._ids[point]

    def edge(self, a: int, b: int, street: str | None, **lengths: int | bool) -> None:
        """Add an edge between two nodes."""
        self._edges.append({"id": len(self._edges) + 1, "a": a, "b": b, "street": street, **lengths})

    def nodes(self) -> list[Object]:
        """Return the rows of all nodes."""
        return self._nodes

    def at(self, node: int) -> Point:
        """Return the location of a node."""
        return Point(self._nodes[node - 1]["lng"], self._nodes[node - 1]["lat"])

    def nearest(self, point: Point) -> int:
        """The node of a street that is nearest to a point."""
        return self._ids[min(self._on_streets, key=lambda known: metres(known, point))]

    def edges(self) -> list[Object]:
        """Return the rows of all edges."""
        return self._edges

    def cross(self, city: str, first: str, second: str) -> Point:
        """Return the crossing of two streets."""
        shared = {point for _, point in self.by_name[city, first].places}
        points = [point for _, point in self.by_name[city, second].places if point in shared]
        if not points:
            raise ValueError(f"{first} and {second} do not cross")
        return points[0]

    def crossings(self, street: Street) -> Iterator[tuple[Point, Street]]:
        """Yield the crossings of a street with others, from its start."""
        others = [(other, {point for _, point in other.places}) for other in self.streets if other.city == street.city]
        for _, point in street.places:
            crossed = [other for other, points in others if other is not street and point in points]
            if crossed:
                yield point, crossed[0]

    def rows(self) -> Iterator[tuple[str, Object]]:
        """The rows of streets, their numbers, the links between cities."""
        for street in self.streets:
            shown = Point(*street.spec.get("at", street.at(street.line[-1][0] / 2)))
            yield "street", _street_row(street.id, street.spec, street.city, shown)
        for i, link in enumerate(self.links, 1):
            yield "street", _street_row(f"link-{i}", link, "", Point(*link["from"]))

    def anchors(self) -> Iterator[tuple[str, int, Point, int | None]]:
        """(street, place, point, house number) along each street."""
        for street in self.streets:
            for place, (distance, point) in enumerate(street.places):
                yield street.id, place, point, number_at(street, distance)

    def _lay_out(self) -> None:
        cuts: dict[str, list[tuple[float, Point]]] = {
            street.id: [(0.0, street.points[0]), street.line[-1]] for street in self.streets
        }
        for street in self.streets:
            numbered = [Point(lng, lat) for _, lng, lat in street.spec.get("numbers", [])]
            numbered += [Point(*street.spec["first"])] if "first" in street.spec else []
            cuts[street.id] += [(street.where(point)[0], point) for point in numbered]
        for i, street in enumerate(self.streets):
            for other in self.streets[i + 1 :]:
                if other.city == street.city:
                    for here, there, point in _crossings(street, other):
                        cuts[street.id].append((here, point))
                        cuts[other.id].append((there, point))
        for street in self.streets:
            street.places = _spaced(street, sorted(set(cuts[street.id])))

    def _connect(self, street: Street) -> None:
        nodes = [self.node(point, street.city) for _, point in street.places]
        corners = {point for point, _ in self.crossings(street)}
        crossed = [place for place, (_, point) in enumerate(street.places) if point in corners]
        recorded = street.spec.get("told")
        first, last = (street.where(Point(*recorded[end]))[0] for end in ("from", "to")) if recorded else (0.0, 0.0)
        for place, ((start, _), (end, _)) in enumerate(zip(street.places, street.places[1:], strict=False)):
            length = round(end - start)
            seconds = round((end - start) * 3.6 / street.spec.get("kmh", _KMH))
            lengths = {"car": length, "car_seconds": seconds, "bicycle": length, "foot": length}
            if recorded and start >= first - 1 and end <= last + 1:
                lengths = {name: _share(recorded[name], start - first, end - first, last - first) for name in lengths}
            # Dead ends allow traffic in both directions.
            through = bool(crossed) and crossed[0] <= place < crossed[-1]
            self.edge(nodes[place], nodes[place + 1], street.id, **lengths, oneway="oneway" in street.spec and through)

    def _link(self, link_id: str, link: dict[str, Any]) -> None:
        a, b = (self.nearest(Point(*link[end])) for end in ("from", "to"))
        length = round(metres(self.at(a), self.at(b)) * link["stretch"])
        lengths = dict.fromkeys(link["modes"], length)
        seconds = round(length * 3.6 / link["kmh"])
        self.edge(a, b, link_id, **lengths, car_seconds=seconds, oneway=False)


def number_at(street: Street, distance: float) -> int | None:
    """Return the house number at this distance in metres from the street's start; None before its first house."""
    numbers: list[tuple[int, float, float]] = street.spec.get("numbers", [])
    places = [(street.where(Point(lng, lat))[0], number) for number, lng, lat in numbers]
    if "first" in street.spec and distance < street.where(Point(*street.spec["first"]))[0] - 1:
        return None
    for (start, low), (end, high) in itertools.pairwise(places):
        if start - 1 <= distance <= end + 1:
            return round(low + (high - low) * min(1.0, max(0.0, (distance - start) / (end - start))))
    start, low = places[-1] if places else (0.0, 1)
    return low + int((distance - start) / _HOUSE)


def _street_row(street_id: str, spec: dict[str, Any], city: str, shown: Point) -> Object:
    english = spec["en"]
    short = english
    for long, brief in (("Road", "Rd"), ("Street", "St"), ("Avenue", "Ave"), ("Lane", "Ln"), ("Expressway", "Expy")):
        short = short.replace(long, brief)
    names = {"id": street_id, "zh": spec["zh"], "en": english, "short": short}
    return {**names, "city": city, "lng": shown.lng, "lat": shown.lat}


def _crossings(street: Street, other: Street) -> Iterator[tuple[float, float, Point]]:
    for (s0, a), (s1, b) in zip(street.line, street.line[1:], strict=False):
        for (t0, c), (t1, d) in zip(other.line, other.line[1:], strict=False):
            met = crossing(a, b, c, d)
            if met is not None:
                here, there = s0 + (s1 - s0) * met[0], t0 + (t1 - t0) * met[1]
                yield here, there, _corner((a, b, c, d), along(a, b, met[0]))


def _corner(ends: Sequence[Point], point: Point) -> Point:
    """Return the end of one of the two lines at their crossing: its own point is the recorded one."""
    return next((end for end in ends if metres(end, point) < 25), point)


def _spaced(street: Street, cuts: list[tuple[float, Point]]) -> list[tuple[float, Point]]:
    """The cuts, those nearer than a metre being one, with further places between those far apart."""
    places: list[tuple[float, Point]] = []
    for distance, point in cuts:
        if places and (distance - places[-1][0] < 1 or point == places[-1][1]):
            continue
        if places:
            start, gap = places[-1][0], distance - places[-1][0]
            steps = int(gap // _SPACING)
            places += [
                (start + gap * i / (steps + 1), street.at(start + gap * i / (steps + 1))) for i in range(1, steps + 1)
            ]
        places.append((distance, point))
    return places


def _share(total: int, start: float, end: float, length: float) -> int:
    """Return a part's share of a whole number, such that the shares of all parts add up to it."""
    return round(total * min(end, length) / length) - round(total * max(start, 0.0) / length)
