"""The places of the library: they are consistent, every street can be reached, and three apps report the same facts."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from soundstage.contexts.engine.geometry import Point, metres
from soundstage.contexts.engine.schema import Object
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.kernels.engines.places.atlas import Atlas
from soundstage.kernels.engines.places.routes import Mode, route, usable
from soundstage.kernels.engines.places.transit import journey
from soundstage.servers.catalogue import load_app
from soundstage.worlds.library.places import rows

NUMBER_ONE, STATION = Point(120.5, 30.2), Point(120.53, 30.21)
KNOWN_ROUTES = [("car", 3400, 540), ("bicycle", 3200, 768), ("foot", 3150, 2520)]


@pytest.fixture
def maps(new_session: Callable[..., Session]) -> Callable[..., Any]:
    """Calls a tool of one of the three apps in a fresh session, and returns its JSON or text."""
    session = new_session(at="2026-11-23T02:00:00Z")

    def call(app: str, tool: str, **arguments: Any) -> Any:
        made = dispatch(session, load_app(app), tool, arguments)
        assert made.reply is not None
        text = made.reply["content"][0]["text"]
        return json.loads(text) if text.startswith("{") else text

    return call


@pytest.fixture
def atlas(new_session: Callable[..., Session]) -> Atlas:
    return new_session().context.app("amap").library.cached("places.atlas", Atlas)


def told_rows() -> dict[str, list[Object]]:
    rows_by_entity: dict[str, list[Object]] = {}
    for entity, row in rows({}):
        rows_by_entity.setdefault(entity, []).append(row)
    return rows_by_entity


def test_the_rows_are_reproducible() -> None:
    assert list(rows({})) == list(rows({}))


def test_the_library_has_the_required_size() -> None:
    count = {entity: len(entity_rows) for entity, entity_rows in told_rows().items()}
    assert count["node"] >= 850
    assert count["edge"] >= 950
    assert count["venue"] >= 700
    assert (count["line"], count["street"]) == (20, 72)
    levels = Counter(row["level"] for row in told_rows()["area"] if row["adcode"].startswith("99"))
    assert levels == {"province": 1, "city": 3, "district": 12}


def test_ids_and_names_belong_to_one_venue_only() -> None:
    venues = told_rows()["venue"]
    for name in ("id", "amap_id", "baidu_uid", "google_id"):
        assert max(Counter(venue[name] for venue in venues).values()) == 1
    at = Counter((venue["street"], venue["number"]) for venue in venues if "number" in venue)
    assert max(at.values()) == 1
    by_city = Counter((venue["zh"], venue["adcode"][:4], venue.get("region")) for venue in venues)
    assert max(by_city.values()) == 1


def test_sites_and_reviews_use_reserved_addresses() -> None:
    for venue in told_rows()["venue"]:
        host = venue.get("site", "https://x.test/").split("/")[2]
        assert host.endswith((".test", ".example")), venue["site"]


@pytest.mark.parametrize(("mode", "length", "seconds"), KNOWN_ROUTES)
def test_the_handwritten_route_has_its_length_and_duration(atlas: Atlas, mode: Mode, length: int, seconds: int) -> None:
    way = route(atlas, mode, NUMBER_ONE, STATION)
    assert way is not None
    assert (way.metres, way.seconds) == (length, seconds)
    assert [atlas.streets[part.street or ""].zh for part in way.parts] == ["星河路"]
    assert round(metres(NUMBER_ONE, STATION)) == 3090


def test_the_handwritten_bus_is_the_fastest(atlas: Atlas) -> None:
    fastest = journey(atlas, NUMBER_ONE, STATION)
    assert fastest is not None
    assert (fastest.seconds, fastest.walked) == (1380, 620)
    assert [leg.metres for leg in fastest.legs] == [320, 3080, 300]


@pytest.mark.parametrize("mode", ["car", "bicycle", "foot"])
@pytest.mark.parametrize("root", ["990100-01", "310000-01"])
def test_every_street_can_be_reached_and_left(atlas: Atlas, mode: Mode, root: str) -> None:
    start = atlas.anchors[root][0].node
    assert start is not None
    there, back = _reached(atlas, mode, start, backward=False), _reached(atlas, mode, start, backward=True)
    of_cities = {a.node for s, anchors in atlas.anchors.items() if s[:2] == root[:2] for a in anchors}
    assert of_cities <= there & back


def _reached(atlas: Atlas, mode: Mode, start: int, *, backward: bool) -> set[int]:
    ways: dict[int, list[int]] = {}
    for edges in atlas.ways.values():
        for edge in edges:
            if usable(edge, mode):
                ends = (edge.end, edge.start) if backward else (edge.start, edge.end)
                ways.setdefault(ends[0], []).append(ends[1])
    seen, waiting = {start}, [start]
    while waiting:
        for node in ways.get(waiting.pop(), []):
            if node not in seen:
                seen.add(node)
                waiting.append(node)
    return seen


def test_three_apps_report_the_same_venues(maps: Callable[..., Any], atlas: Atlas) -> None:
    for venue in list(atlas.venues.values())[::11]:
        amap = maps("amap", "maps_search_detail", id=venue.row["amap_id"])
        baidu = maps("baidu_maps", "map_place_details", uid=venue.row["baidu_uid"])["result"]
        google = maps("google_maps", "maps_place_details", place_id=venue.row["google_id"])
        lng, lat = (float(number) for number in amap["location"].split(","))
        assert {"lat": lat, "lng": lng} == baidu["location"] == google["location"]
        assert (amap["name"], google["name"]) == (baidu["name"], venue.en)
        ratings = {float(rating) for rating in (amap["rating"], baidu["detail_info"]["overall_rating"]) if rating}
        assert ratings == ({google["rating"]} if "rating" in google else set())
        assert baidu["telephone"].replace("-", "") == google.get("formatted_phone_number", "").replace(" ", "")
        assert amap["city"] == baidu["city"]


def test_three_apps_report_the_same_addresses(maps: Callable[..., Any], atlas: Atlas) -> None:
    for street in [s for s in atlas.streets.values() if s.city][::4]:
        city = atlas.areas[street.city]
        number = [a.number for a in atlas.anchors[street.id] if a.number is not None][-1] // 2 + 1
        amap = maps("amap", "maps_geo", address=f"{city.zh}{street.zh}{number}号")["return"][0]["location"]
        baidu = maps("baidu_maps", "map_geocode", address=f"{city.zh}{street.zh}{number}号")["result"]["location"]
        google = maps("google_maps", "maps_geocode", address=f"{number} {street.en}, {city.en}")["location"]
        lng, lat = (float(part) for part in amap.split(","))
        assert {"lng": lng, "lat": lat} == baidu == google


@pytest.mark.parametrize(
    ("amap", "baidu", "google"),
    [("driving", "driving", "driving"), ("walking", "walking", "walking"), ("bicycling", "riding", "bicycling")],
)
def test_three_apps_report_the_same_routes(
    maps: Callable[..., Any], atlas: Atlas, amap: str, baidu: str, google: str
) -> None:
    venues = [venue for venue in atlas.venues.values() if venue.adcode.startswith("9901")][::37]
    for start, end in itertools.pairwise(venues):
        ends = [f"{v.point.lng},{v.point.lat}" for v in (start, end)]
        swapped = [f"{v.point.lat},{v.point.lng}" for v in (start, end)]
        if amap == "bicycling":
            coordinates = {"origin_coordinates": ends[0], "destination_coordinates": ends[1]}
            first = maps("amap", "maps_bicycling_by_coordinates", **coordinates)["data"]["paths"][0]
        else:
            tool = f"maps_direction_{amap}_by_coordinates"
            first = maps("amap", tool, origin=ends[0], destination=ends[1])["route"]["paths"][0]
        second = maps("baidu_maps", "map_directions", origin=swapped[0], destination=swapped[1], model=baidu)
        third = maps("google_maps", "maps_directions", origin=swapped[0], destination=swapped[1], mode=google)
        baidu_route = second["result"]["routes"][0]
        shown = third["routes"][0]
        figures = (int(first["distance"]), int(first["duration"]))
        assert figures == (baidu_route["distance"], baidu_route["duration"])
        assert figures == (shown["distance"]["value"], shown["duration"]["value"])
        assert len(first["steps"]) == len(baidu_route["steps"]) == len(shown["steps"])


def test_three_apps_report_the_same_public_transport(maps: Callable[..., Any]) -> None:
    cities = {"city": "云海市", "cityd": "砚州市"}
    ends = {"origin": "120.5,30.2", "destination": "121.101,30.601"}
    amap = maps("amap", "maps_direction_transit_integrated_by_coordinates", **ends, **cities)["route"]["transits"][0]
    swapped = {"origin": "30.2,120.5", "destination": "30.601,121.101"}
    baidu = maps("baidu_maps", "map_directions", **swapped, model="transit")["result"]["routes"][0]
    google = maps("google_maps", "maps_directions", **swapped, mode="transit")["routes"][0]
    assert int(amap["duration"]) == baidu["duration"] == google["duration"]["value"]
    assert baidu["distance"] == google["distance"]["value"]


def test_two_apps_report_the_same_weather(maps: Callable[..., Any], atlas: Atlas) -> None:
    for area in [a for a in atlas.areas.values() if a.level in ("city", "district") and a.adcode.isdigit()][::3]:
        amap = maps("amap", "maps_weather", city=area.adcode)["forecasts"]
        baidu = maps("baidu_maps", "map_weather", district_id=area.adcode)["result"]["forecasts"]
        amap_days = [(d["date"], d["dayweather"], int(d["daytemp"]), int(d["nighttemp"]), d["daywind"]) for d in amap]
        same = [(d["date"], d["text_day"], d["high"], d["low"], d["wd_day"].removesuffix("风")) for d in baidu]
        assert amap_days == same[: len(amap_days)]


def test_two_apps_locate_an_ip_address(maps: Callable[..., Any]) -> None:
    for ip in ("203.0.113.9", "198.51.100.200", "192.0.2.1", "192.0.2.255"):
        amap = maps("amap", "maps_ip_location", ip=ip)
        baidu = maps("baidu_maps", "map_ip_location", ip=ip)["content"]["address_detail"]
        assert (amap["city"], amap["adcode"]) == (baidu["city"], baidu["adcode"])


@pytest.mark.parametrize("name", ["不存在的地方xyz", "Atlantis", "Nowhere 999", "volcano"])
def test_a_forbidden_name_is_found_nowhere(maps: Callable[..., Any], name: str) -> None:
    assert "error" in maps("amap", "maps_geo", address=name)
    assert maps("baidu_maps", "map_geocode", address=name) == "API response error: unknown error"
    assert maps("google_maps", "maps_geocode", address=name) == "Geocoding failed: ZERO_RESULTS"
    assert maps("google_maps", "maps_search_places", query=name) == "Place search failed: ZERO_RESULTS"
