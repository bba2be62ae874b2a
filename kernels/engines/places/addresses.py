"""Geocoding and reverse geocoding of Chinese and English addresses.

Real geocoders guess. This one only finds what an address names: an area, a street, a house number (interpolated between two
known ones), a crossing or a venue.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from soundstage.contexts.engine.geometry import Point, along, metres, nearest_part
from soundstage.kernels.engines.places.atlas import Area, Atlas, Street, Venue, names_of

Level = Literal["country", "province", "city", "district", "street", "number", "crossing", "venue"]

_HAN = re.compile(r"[\u4e00-\u9fff]")
_NUMBERED_ZH = re.compile(r"(?P<street>.+?)(?P<number>\d+)(?:号|弄)?(?:楼|室|内|旁)?\Z")
_NUMBERED_EN = re.compile(r"(?:no\.? ?)?(?P<number>\d+),? (?P<street>.+)\Z")
_CROSSING = re.compile(r"(?P<first>.+?)(?:与|和|/| and | & )(?P<second>.+?)(?:的)?(?:交叉口|交叉路口|路口|交汇处)?\Z")
_NEAR_VENUE = 30
"""Distance in metres within which a point belongs to a venue without a house number."""
_AT_DOOR = 5
"""Distance in metres within which a point has the house number of a venue."""
_NEAR_STREET = 2000


@dataclass(frozen=True, slots=True)
class Spot:
    """A place: an area, a street, a house number, a crossing or a venue."""

    level: Level
    point: Point
    adcode: str
    street: Street | None = None
    number: int | None = None
    venue: Venue | None = None
    other: Street | None = None


def find(atlas: Atlas, text: str, within: str | None = None) -> list[Spot]:
    """Return the places that an address names, most likely first.

    `within` is the name or code of an area in which the result must be located.
    """
    wanted = " ".join(text.split()).casefold()
    if not wanted:
        return []
    match = _chinese(atlas, wanted) if _HAN.search(wanted) else _english(atlas, wanted)
    return [spot for spot in match if not within or atlas.lies_in(spot.adcode, within)]


def at(atlas: Atlas, point: Point) -> Spot | None:
    """Return the place at a point or nearest to it; None if the point is far from all known places.

    The result is a venue without a house number, a house number (that of the venue at the point, if any), or the area.
    """
    known = [
        v for v in atlas.venues.values() if metres(v.point, point) <= (_NEAR_VENUE if v.number is None else _AT_DOOR)
    ]
    venue = min(known, key=lambda v: metres(v.point, point), default=None)
    if venue is not None:
        spot = spot_of(atlas, venue)
        return spot if spot.number is None else replace(spot, level="number", point=point, venue=None)
    best: tuple[float, Street, int | None, str] | None = None
    for street_id, anchors in atlas.anchors.items():
        for here, there in itertools.pairwise(anchors):
            part = nearest_part(point, here.point, there.point)
            away = metres(point, along(here.point, there.point, part))
            if best is None or away < best[0]:
                number = None
                if here.number is not None and there.number is not None:
                    number = round(here.number + (there.number - here.number) * part)
                best = (away, atlas.streets[street_id], number, (here if part < 0.5 else there).adcode)
    if best is not None and best[0] <= _NEAR_STREET:
        level: Level = "street" if best[2] is None else "number"
        return Spot(level, point, best[3], best[1], best[2])
    area = atlas.nearest_area(point)
    return Spot(_level(area), point, area.adcode) if area else None


def spot_of(atlas: Atlas, venue: Venue) -> Spot:
    """Return a venue as a place with an address."""
    street = atlas.streets[venue.street] if venue.street else None
    return Spot("venue", venue.point, venue.adcode, street, venue.number, venue)


def chinese_address(atlas: Atlas, spot: Spot, *, whole: bool = True) -> str:
    """Return the address in Chinese, from the province (`whole`) or from the street on.

    A venue's address is its street and number, or its name if it has none.
    """
    chain = atlas.chain(spot.adcode)
    before = "".join(chain[level].zh for level in ("province", "city", "district") if level in chain) if whole else ""
    if spot.street is None:
        return before + (spot.venue.zh if spot.venue else "")
    if spot.other is not None:
        return f"{before}{spot.street.zh}与{spot.other.zh}交叉口"
    if spot.number is None and spot.venue is not None:
        return before + spot.venue.zh
    return before + spot.street.zh + (f"{spot.number}号" if spot.number is not None else "")


def english_address(atlas: Atlas, spot: Spot) -> str:
    """Return the address in English, such as "18 Xinghe Road, Haitian District, Yunhai, Donglan, 990102"."""
    chain = atlas.chain(spot.adcode)
    parts: list[str] = []
    if spot.venue is not None and spot.number is None:
        parts.append(spot.venue.en)
    elif spot.street is not None:
        name = f"{spot.street.en} & {spot.other.en}" if spot.other else spot.street.en
        parts.append(f"{spot.number} {name}" if spot.number is not None else name)
    for level in ("district", "city", "province"):
        if level in chain and (not parts or chain[level].en != parts[-1]):
            parts.append(chain[level].en)
    if "province" not in chain and "country" in chain:
        parts.append(chain["country"].en)
    return ", ".join([*parts, spot.adcode] if spot.adcode.isdigit() else parts)


def numbered(atlas: Atlas, street: Street, number: int) -> Spot | None:
    """Return a house number of a street: that of a venue, or a position between known numbers; None if it does not exist."""
    venue = atlas.by_address.get((street.id, number))
    if venue is not None:
        return Spot("number", venue.point, venue.adcode, street, number)
    anchors = [anchor for anchor in atlas.anchors.get(street.id, []) if anchor.number is not None]
    for here, there in itertools.pairwise(anchors):
        low, high = here.number or 0, there.number or 0
        if low <= number <= high:
            part = (number - low) / (high - low) if high > low else 0.0
            adcode = (here if part < 0.5 else there).adcode
            return Spot("number", along(here.point, there.point, part), adcode, street, number)
    return None


def crossing(atlas: Atlas, first: Street, second: Street) -> Spot | None:
    """Return the crossing of two streets, or None if they do not cross."""
    points = {anchor.point for anchor in atlas.anchors.get(second.id, [])}
    for anchor in atlas.anchors.get(first.id, []):
        if anchor.point in points:
            return Spot("crossing", anchor.point, anchor.adcode, first, None, None, second)
    return None


def _chinese(atlas: Atlas, text: str) -> list[Spot]:
    """Strip leading area names one by one until the rest names a place in them."""
    text = text.replace(" ", "").replace(",", "")
    inside: list[Area] = []
    while True:
        results = [spot for spot in _named(atlas, text) if all(a.adcode in _codes(atlas, spot) for a in inside)]
        area = next((a for a in atlas.areas.values() if _leads(atlas, a, text, inside)), None)
        if results or area is None:
            return results
        if text == area.zh:
            return [Spot(_level(area), area.point, area.adcode)]
        inside.append(area)
        text = text.removeprefix(area.zh)


def _leads(atlas: Atlas, area: Area, text: str, inside: list[Area]) -> bool:
    within = set(atlas.chain(area.adcode).values())
    return bool(area.zh) and text.startswith(area.zh) and area not in inside and all(a in within for a in inside)


def _codes(atlas: Atlas, spot: Spot) -> set[str]:
    return {area.adcode for area in atlas.chain(spot.adcode).values()}


def _english(atlas: Atlas, text: str) -> list[Spot]:
    """Find the part before the first comma in the areas named after it.

    If nothing matches, return the venues whose name and address contain all words.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        return []
    inside = [part for part in dict.fromkeys(parts[1:]) if not part.isdigit() or atlas.area_named(part)]
    results = [spot for spot in _named(atlas, parts[0]) if all(atlas.lies_in(spot.adcode, part) for part in inside)]
    if results:
        return results
    words = re.findall(r"[\w'&-]+", text)
    wanted = set(words)
    spots = (spot_of(atlas, venue) for venue in atlas.venues.values())
    venues = [
        spot for spot in spots if spot.venue and _has_words(f"{spot.venue.en} {english_address(atlas, spot)}", wanted)
    ]
    return venues[:10] if len(words) > 1 else []


def _has_words(text: str, words: set[str]) -> bool:
    known = set(re.findall(r"[\w'&-]+", text.casefold()))
    return words <= known


def _named(atlas: Atlas, text: str) -> Iterator[Spot]:
    """Yield the places with exactly this name, then the venues whose names contain it.

    The order is venues, house numbers, streets, crossings, areas.
    """
    for venue in atlas.venues.values():
        names = (venue.zh, venue.zh.replace(" ", ""), venue.en, venue.alias or "")
        if text in [name.casefold() for name in names]:
            yield spot_of(atlas, venue)
    match = _NUMBERED_EN.match(text) or _NUMBERED_ZH.match(text)
    if match:
        for street in _streets(atlas, match["street"]):
            spot = numbered(atlas, street, int(match["number"]))
            if spot is not None:
                yield spot
    for street in _streets(atlas, text):
        yield Spot("street", street.point, _district(atlas, street), street)
    pair = _CROSSING.match(text)
    if pair:
        for first in _streets(atlas, pair["first"]):
            for second in _streets(atlas, pair["second"]):
                met = crossing(atlas, first, second) if first.city == second.city else None
                if met is not None:
                    yield met
    for area in atlas.areas.values():
        if text in names_of(area) - {area.citycode}:
            yield Spot(_level(area), area.point, area.adcode)
            return
    if len(text) > 2 and _HAN.search(text):
        for venue in atlas.venues.values():
            if text in venue.zh.casefold() and text != venue.zh.casefold():
                yield spot_of(atlas, venue)


def _streets(atlas: Atlas, name: str) -> list[Street]:
    return [
        street
        for street in atlas.streets.values()
        if name in (street.zh, street.en.casefold(), street.short.casefold()) and street.id in atlas.anchors
    ]


def _district(atlas: Atlas, street: Street) -> str:
    return min(atlas.anchors[street.id], key=lambda anchor: metres(anchor.point, street.point)).adcode


def _level(area: Area) -> Level:
    levels: dict[str, Level] = {"country": "country", "province": "province", "city": "city"}
    return levels.get(area.level, "district")
