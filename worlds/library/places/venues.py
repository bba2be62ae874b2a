"""Venues: the entries of venues.yaml, and a number of generated ones for each city and neighbourhood.

Random values are derived from names, so adding or removing a venue does not change the others.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from soundstage.contexts.engine.geometry import Point
from soundstage.contexts.engine.ids import keyed_digest, make_id
from soundstage.contexts.engine.schema import Object
from soundstage.worlds.library.places.streets import Net, Street, number_at

COUNTS = {"990100": 330, "990200": 120, "990300": 110, "studio": 62, "campus": 60}
_GROUPS = {
    "food": ("coffee", "noodles", "restaurant", "bakery", "tea"),
    "place": ("park", "sight", "museum", "library", "school", "station", "stage", "market", "sports", "pier"),
}
_FIRST_REVIEW, _LAST_REVIEW = 1735689600, 1794000000
_CITY_OF = {"studio": "310000", "campus": "310000"}
_PHONES = {"990100": "0990", "990200": "0991", "990300": "0992", "310000": "021"}
T = TypeVar("T")


class Drawn:
    """Draws for one venue, each by its own name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def number(self, what: str, size: int) -> int:
        """Return a number below `size`."""
        return int.from_bytes(keyed_digest(0, f"{self.name}.{what}", 0)[:8], "big") % size

    def of(self, what: str, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[self.number(what, len(items))]

    def between(self, what: str, low: int, high: int) -> int:
        """Return a number from `low` to `high`."""
        return low + self.number(what, high - low + 1)

    def id(self, what: str, template: str) -> str:
        """Return an id in the format of a template."""
        return make_id(template, 0, f"{self.name}.{what}", 0)


class Directory:
    """All venues. `districts` maps an adcode to its centre, `neighbourhoods` a region to its district."""

    def __init__(self, net: Net, recorded: dict[str, Any], kinds: dict[str, Any], districts: dict[str, Point]) -> None:
        self._net = net
        self._recorded = recorded
        self._kinds = {name: kind for name, kind in kinds.items() if name not in ("stems", "reviewers", "reviews")}
        self._stems: list[list[str]] = kinds["stems"]
        self._reviewers: list[str] = kinds["reviewers"]
        self._reviews: dict[str, list[list[Any]]] = kinds["reviews"]
        self._districts = districts

    def rows(self) -> Iterator[Object]:
        """Yield the rows of all venues: the listed ones of each place, then the generated ones."""
        for place, specs in self._recorded.items():
            city = _CITY_OF.get(place, place)
            region = place if place in _CITY_OF else None
            for spec in specs:
                yield self._venue(spec, city, region)
            streets = [s for s in self._net.streets if s.city == city and s.spec.get("region") == region]
            for spec in self._derived(place, streets, COUNTS[place]):
                yield self._venue(spec, city, region)

    def district(self, city: str, point: Point) -> str:
        """The district whose centre is nearest."""
        own = {code: centre for code, centre in self._districts.items() if code[:4] == city[:4] or code[:3] == city[:3]}
        return min(own, key=lambda code: (own[code].lng - point.lng) ** 2 + (own[code].lat - point.lat) ** 2)

    def _derived(self, place: str, streets: list[Street], count: int) -> Iterator[dict[str, Any]]:
        kinds = [name for name, kind in self._kinds.items() for _ in range(kind.get("share", 0))]
        seen: set[str] = set()
        taken = {(spec.get("street"), spec.get("number")) for spec in self._recorded[place]}
        for i in range(count):
            drawn = Drawn(f"venue.{place}.{i}")
            kind = drawn.of("kind", kinds)
            named = self._name(drawn, kind, seen)
            street = drawn.of("street", streets)
            last = number_at(street, street.line[-1][0]) or 1
            first = number_at(street, street.where(Point(*street.spec["first"]))[0]) if "first" in street.spec else 1
            name = street.spec["zh"]
            numbers = (drawn.between(f"number{attempt}", (first or 1) + 1, last) for attempt in itertools.count())
            number = next(number for number in numbers if (name, number) not in taken)
            taken.add((name, number))
            yield {"id": f"{place}-{i + 1:03}", "kind": kind, "street": name, "number": number, **named}

    def _name(self, drawn: Drawn, kind: str, seen: set[str]) -> dict[str, str]:
        spec = self._kinds[kind]
        for attempt in range(1000):
            stem_zh, stem_en = drawn.of(f"stem{attempt}", self._stems)
            ending = drawn.number(f"ending{attempt}", len(spec["zh"]))
            zh, en = f"{stem_zh}{spec['zh'][ending]}", f"{stem_en} {spec['en'][ending]}"
            if zh not in seen:
                seen.add(zh)
                return {"zh": zh, "en": en}
        raise ValueError(f"no name is left for a {kind}")

    def _venue(self, spec: dict[str, Any], city: str, region: str | None) -> Object:
        drawn = Drawn(f"venue.{spec['id']}")
        kind = self._kinds[spec["kind"]]
        street = self._net.by_name.get((city, spec["street"])) if "street" in spec else None
        point = Point(*spec["at"]) if "at" in spec else self._point(street, spec["number"])
        derived = "hours" not in spec and "share" in kind
        row: Object = {
            "id": spec["id"],
            "zh": spec["zh"],
            "en": spec["en"],
            "alias": spec.get("alias"),
            "category": spec["kind"],
            "lng": point.lng,
            "lat": point.lat,
            "adcode": self.district(city, point),
            "street": street.id if street else None,
            "number": spec.get("number"),
            "business_area": spec.get("area"),
            "amap_id": spec.get("amap") or drawn.id("amap", "B0{upper:8}"),
            "typecode": kind["amap"][0],
            "amap_type": kind["amap"][1],
            "baidu_uid": spec.get("baidu") or drawn.id("baidu", "{hex:24}"),
            "baidu_tag": kind["baidu"][0],
            "baidu_type": kind["baidu"][1],
            "google_id": spec.get("google") or drawn.id("google", "ChIJ{base64url:23}"),
            "google_types": [*kind["google"], *(t for t in ("point_of_interest", "establishment") if t not in kind["google"])],
            "phone": spec.get("phone") or (f"{_PHONES[city]}-555{drawn.between('phone', 1000, 9999)}" if derived else None),
            "rating": spec.get("rating") or (drawn.between("rating", *kind["rating"]) if derived else None),
            "price": spec.get("price") or (drawn.between("price", *kind["price"]) or None if derived else None),
            "comments": spec.get("comments") or (drawn.between("comments", 3, 260) if derived else None),
            "site": spec.get("site"),
            "region": region,
        }  # fmt: skip
        hours = spec.get("hours") or (drawn.of("hours", kind["hours"]) if derived else None)
        row["hours"] = [hours] * 7 if isinstance(hours, str) else hours
        row["reviews"] = self._reviews_of(spec, drawn, derived)
        return {name: value for name, value in row.items() if value is not None}

    def _point(self, street: Street | None, number: int) -> Point:
        """Return the position of a house number."""
        if street is None:
            raise ValueError("a venue needs a place or a street")
        for recorded, lng, lat in street.spec.get("numbers", []):
            if recorded == number:
                return Point(lng, lat)
        low, high = 0.0, street.line[-1][0]
        if number > (number_at(street, high) or 0):
            raise ValueError(f"{street.spec['zh']} has no number {number}")
        while high - low > 0.5:
            middle = (low + high) / 2
            low, high = (middle, high) if (number_at(street, middle) or 0) < number else (low, middle)
        return street.at(high)

    def _reviews_of(self, spec: dict[str, Any], drawn: Drawn, derived: bool) -> list[Object] | None:
        """[{author, rating, text, time}], newest last; of derived venues two in three have some."""
        if "reviews" in spec:
            return [dict(zip(("author", "rating", "text", "time"), review, strict=True)) for review in spec["reviews"]]
        if not derived or (count := drawn.number("reviews", 3)) == 0:
            return None
        group = next((name for name, kinds in _GROUPS.items() if spec["kind"] in kinds), None)
        group = group or ("shop" if "store" in self._kinds[spec["kind"]]["google"] else "service")
        venues: dict[str, Object] = {}
        for i in range(count):
            rating, text = drawn.of(f"review{i}", self._reviews[group])
            time = drawn.between(f"time{i}", _FIRST_REVIEW, _LAST_REVIEW)
            venues[text] = {
                "author": drawn.of(f"author{i}", self._reviewers),
                "rating": rating,
                "text": text,
                "time": time,
            }
        return sorted(venues.values(), key=lambda review: review["time"])
