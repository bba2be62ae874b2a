"""The rows of the realm `places`, from the files next to this one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from soundstage.contexts.engine.geometry import Point
from soundstage.contexts.engine.schema import Object
from soundstage.source import read
from soundstage.worlds.library.places import lines
from soundstage.worlds.library.places.streets import Net
from soundstage.worlds.library.places.venues import Directory

_HERE = Path(__file__).parent


def rows(facts: Mapping[tuple[str, str], list[Object]]) -> Iterator[tuple[str, Object]]:
    """(entity, row) of everything; this realm rests on no other."""
    areas = list(_areas(_read("areas")))
    yield from (("area", area) for area in areas)
    for first, last, adcode in _read("areas")["ip_ranges"]:
        yield "ip_range", {"first": int(IPv4Address(first)), "last": int(IPv4Address(last)), "adcode": adcode}
    net = Net(_read("streets"))
    districts = {
        area["adcode"]: Point(area["lng"], area["lat"])
        for area in areas
        if area["level"] == "district" and area["adcode"][:3] in ("990", "310")
    }
    directory = Directory(net, _read("venues"), _read("categories"), districts)
    transit = list(lines.rows(net, _read("lines")))
    yield from net.rows()
    cities = {street.id: street.city for street in net.streets}
    for street, place, point, number in net.anchors():
        anchor = {"street": street, "place": place, "lng": point.lng, "lat": point.lat, "number": number}
        yield "anchor", {**anchor, "adcode": directory.district(cities[street], point)}
    yield from (("node", node) for node in net.nodes())
    yield from (("edge", edge) for edge in net.edges())
    yield from (("venue", venue) for venue in directory.rows())
    yield from transit
    yield from _recorded_rows(net, _read("told"))


def _recorded_rows(net: Net, recorded: dict[str, Any]) -> Iterator[tuple[str, Object]]:
    yield from (("weather", row) for row in recorded["weather"])
    for row in recorded["traffic"]:
        street = net.by_name[row["city"], row["street"]].id
        yield "traffic", {"street": street, "date": row["date"], "status": row["status"]}
    for lng, lat, height, resolution in recorded["elevation"]:
        yield "elevation", {"lng": lng, "lat": lat, "metres": height, "resolution": resolution}


def _areas(data: dict[str, Any]) -> Iterator[Object]:
    yield {"adcode": "CN", "level": "country", "zh": "中国", "en": "China", "lng": 104.1954, "lat": 35.8617}
    for adcode, (zh, en) in data["provinces"].items():
        capital = next((city for city in data["cities"] if city[3] == adcode), None)
        at = capital[6:8] if capital else [0.0, 0.0]
        yield _area({"adcode": adcode, "level": "province", "zh": zh, "en": en, "parent": "CN", "at": at})
    for adcode, zh, en, parent, citycode, baidu_code, lng, lat in data["cities"]:
        codes = {"citycode": citycode, "baidu_code": baidu_code}
        city = {"adcode": adcode, "level": "city", "zh": zh, "en": en, "parent": parent}
        yield _area({**city, **codes, "at": [lng, lat]})
    for group in ("invented", "shanghai", "counties", "abroad"):
        yield from (_area(spec) for spec in data[group])


def _area(spec: dict[str, Any]) -> Object:
    lng, lat = spec["at"]
    return {**{name: value for name, value in spec.items() if name != "at"}, "lng": lng, "lat": lat}


def _read(name: str) -> Any:
    return read(_HERE / f"{name}.yaml").value
