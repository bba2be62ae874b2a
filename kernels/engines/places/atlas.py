"""The places of the library as typed objects, built once per process and never changed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, metres
from soundstage.contexts.engine.library import Library
from soundstage.contexts.engine.schema import Object

_REACH = {"district": 12_000, "city": 40_000}
"""Distance in metres from the centre of an area within which a place belongs to it."""


@dataclass(frozen=True, slots=True)
class Area:
    """A country, province, city or district.

    `mercator` is "x,y" if the library states it; `bounds` is "lng,lat;lng,lat".
    """

    adcode: str
    level: str
    zh: str
    en: str
    parent: str | None
    citycode: str
    baidu_code: int
    point: Point
    bounds: str | None
    mercator: str | None


@dataclass(frozen=True, slots=True)
class Street:
    """A street; `point` is its location if no house number is given."""

    id: str
    zh: str
    en: str
    short: str
    city: str
    point: Point


@dataclass(frozen=True, slots=True)
class Anchor:
    """A point of a street with its house number (None if it has no houses yet) and its district."""

    point: Point
    number: int | None
    adcode: str
    node: int | None


@dataclass(frozen=True, slots=True)
class Venue:
    """A venue with facts that are the same for all apps; `row` is the library's row with the ids of each app."""

    id: str
    zh: str
    en: str
    alias: str | None
    category: str
    point: Point
    adcode: str
    street: str | None
    number: int | None
    row: Object


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed edge between two nodes. A mode without a length may not use it."""

    start: int
    end: int
    street: str | None
    car: int | None
    car_seconds: int
    bicycle: int | None
    foot: int | None


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop of a line; `metres` and `seconds` measure the ride from the previous stop."""

    line: str
    place: int
    zh: str
    en: str
    node: int
    metres: int
    seconds: int
    gate: str | None


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its stops; `wait` is the waiting time in seconds, `price` is in hundredths of a yuan."""

    id: str
    zh: str
    en: str
    kind: str
    city: str
    wait: int
    price: int
    stops: tuple[Stop, ...]


class Atlas:
    """All places of the library, indexed by key."""

    def __init__(self, library: Library) -> None:
        """Read the realm `places` of a library."""

        def rows(entity: str) -> list[Object]:
            return library.list("places", entity)

        self.areas = {row["adcode"]: _area(row) for row in rows("area")}
        self.streets = {row["id"]: _street(row) for row in rows("street")}
        self.nodes = {row["id"]: _point(row) for row in rows("node")}
        by_point = {point: node for node, point in self.nodes.items()}
        anchors: dict[str, list[Anchor]] = defaultdict(list)
        for row in rows("anchor"):
            point = _point(row)
            anchors[row["street"]].append(Anchor(point, row.get("number"), row["adcode"], by_point.get(point)))
        self.anchors = dict(anchors)
        self.venues = {row["id"]: _venue(row) for row in rows("venue")}
        self.ways: dict[int, list[Edge]] = defaultdict(list)
        for row in rows("edge"):
            for edge in _edges(row):
                self.ways[edge.start].append(edge)
        stops: dict[str, list[Stop]] = defaultdict(list)
        for row in rows("stop"):
            stops[row["line"]].append(Stop(**{"gate": None, **row}))
        self.lines = [Line(**row, stops=tuple(stops[row["id"]])) for row in rows("line")]
        self.ip_ranges = [(row["first"], row["last"], row["adcode"]) for row in rows("ip_range")]
        self.recorded_weather = {(row["adcode"], row["date"]): row for row in rows("weather")}
        self.recorded_traffic = {(row["street"], row["date"]): int(row["status"]) for row in rows("traffic")}
        self.recorded_elevations = {_point(row): (row["metres"], row["resolution"]) for row in rows("elevation")}

    @cached_property
    def by_address(self) -> dict[tuple[str, int], Venue]:
        """Return the venues by street and house number."""
        return {(v.street, v.number): v for v in self.venues.values() if v.street is not None and v.number is not None}

    @cached_property
    def by_amap_id(self) -> dict[str, Venue]:
        """Return the venues by their id in Amap."""
        return {venue.row["amap_id"]: venue for venue in self.venues.values()}

    @cached_property
    def by_baidu_uid(self) -> dict[str, Venue]:
        """Return the venues by their uid in Baidu Maps."""
        return {venue.row["baidu_uid"]: venue for venue in self.venues.values()}

    @cached_property
    def by_google_id(self) -> dict[str, Venue]:
        """Return the venues by their id in Google Maps."""
        return {venue.row["google_id"]: venue for venue in self.venues.values()}

    def chain(self, adcode: str) -> dict[str, Area]:
        """Return the area and its ancestors by level."""
        result: dict[str, Area] = {}
        code: str | None = adcode
        while code is not None and code in self.areas:
            area = self.areas[code]
            result[area.level] = area
            code = area.parent
        return result

    def city_of(self, adcode: str) -> Area | None:
        """Return the city that contains an area, or None."""
        return self.chain(adcode).get("city")

    def lies_in(self, adcode: str, query: str) -> bool:
        """Return whether an area is in the one that `asked` names.

        `asked` is a code, an English name, or a Chinese name with or without its last character (云海 for 云海市).
        """
        wanted = query.strip().casefold()
        return any(wanted in names_of(area) for area in self.chain(adcode).values())

    def area_named(self, query: str, *levels: str) -> Area | None:
        """Return the area with this name or code, restricted to `levels` if any are given."""
        wanted = query.strip().casefold()
        for area in self.areas.values():
            if (not levels or area.level in levels) and wanted in names_of(area):
                return area
        return None

    def nearest_area(self, point: Point) -> Area | None:
        """Return the district within reach of a point, else the city; None if the point is far from all of them."""
        best: tuple[float, Area] | None = None
        for area in self.areas.values():
            reach = _REACH.get(area.level)
            if reach is not None and (away := metres(point, area.point)) <= reach:
                rank = away + (0 if area.level == "district" else _REACH["district"])
                if best is None or rank < best[0]:
                    best = (rank, area)
        return best[1] if best else None


def names_of(area: Area) -> set[str]:
    """Return the names and codes of an area in lower case."""
    names = {area.adcode.casefold(), area.zh, area.en.casefold(), area.citycode} - {""}
    if len(area.zh) > 2:
        names.add(area.zh[:-1])
    for word in ("district", "city", "province"):
        plain = area.en.casefold().removesuffix(f" {word}")
        names |= {plain, f"{plain} {word}"} if area.level == word else {plain}
    return names


def atlas_of(context: AppContext) -> Atlas:
    """Return the places of the session's library."""
    return context.library.cached("places.atlas", Atlas)


def _point(row: Object) -> Point:
    return Point(row["lng"], row["lat"])


def _area(row: Object) -> Area:
    return Area(
        row["adcode"],
        row["level"],
        row["zh"],
        row["en"],
        row.get("parent"),
        row.get("citycode", ""),
        row.get("baidu_code", 0),
        _point(row),
        row.get("bounds"),
        row.get("mercator"),
    )


def _street(row: Object) -> Street:
    return Street(row["id"], row["zh"], row["en"], row["short"], row["city"], _point(row))


def _venue(row: Object) -> Venue:
    return Venue(
        row["id"],
        row["zh"],
        row["en"],
        row.get("alias"),
        row["category"],
        _point(row),
        row["adcode"],
        row.get("street"),
        row.get("number"),
        row,
    )


def _edges(row: Object) -> list[Edge]:
    """Return both directions of an edge; cars cannot use the reverse direction of a one-way street."""
    car, seconds = row.get("car"), row.get("car_seconds", 0)
    bicycle, foot, street = row.get("bicycle"), row.get("foot"), row.get("street")
    back = None if row["oneway"] else car
    return [
        Edge(row["a"], row["b"], street, car, seconds, bicycle, foot),
        Edge(row["b"], row["a"], street, back, seconds, bicycle, foot),
    ]
