"""Venues, routes, lines and weather as the three map apps report them, and venues as the guides on the web do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from random import Random

from soundstage.contexts.engine.geometry import Point
from soundstage.kernels.engines.places.atlas import Venue
from soundstage.kernels.engines.places.routes import Mode, route
from soundstage.kernels.engines.places.transit import Ride, journey
from soundstage.kernels.engines.places.weather import day, local
from soundstage.worlds.library.web.derived.places import hours as told_hours
from tests.worlds.library.app_facts import Asking, Fact, Values, says


def places(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """Return venues: names, address, point, telephone, hours, rating, from three map apps and the guides on the web."""
    numbered = [
        v for v in ask.atlas.venues.values() if v.number is not None and v.row.keys() >= {"hours", "rating", "price"}
    ]
    guides = {page["url"]: page["html"] for page in ask.library.list("web", "page") if "/guides/" in page["url"]}
    return [_place(ask, venue, guides) for venue in draw.sample(numbered, count)]


def _place(ask: Asking, venue: Venue, guides: Mapping[str, str]) -> Fact:
    row, street = venue.row, ask.atlas.streets[venue.street or ""]
    week = row["hours"]
    holds = {
        "zh": venue.zh,
        "en": venue.en,
        "point": tuple(venue.point),
        "address_zh": f"{street.zh}{venue.number}号",
        "address_en": f"{venue.number} {street.en}",
        "district": ask.atlas.areas[venue.adcode].zh,
        "telephone": re.sub(r"\D", "", row.get("phone", "")),
        "rating": f"{row['rating'] / 10:.1f}",
        "week": week,
        "first": next((span for span in week if span), ""),
    }
    at, swapped = f"{venue.point.lng},{venue.point.lat}", f"{venue.point.lat},{venue.point.lng}"
    amap = ask.json("amap", "maps_search_detail", id=row["amap_id"])
    near = ask.json("amap", "maps_around_search", location=at, radius="50", keywords=venue.zh)["pois"]
    amap_poi = next(poi for poi in near if poi["id"] == row["amap_id"])
    baidu = ask.json("baidu_maps", "map_place_details", uid=row["baidu_uid"])["result"]
    around = ask.json("baidu_maps", "map_search_places", query=venue.zh, location=swapped, radius=50)["results"]
    same = next(poi for poi in around if poi["uid"] == row["baidu_uid"])
    google = ask.json("google_maps", "maps_place_details", place_id=row["google_id"])
    back = ask.json("baidu_maps", "map_reverse_geocode", latitude=venue.point.lat, longitude=venue.point.lng)
    part = back["result"]["addressComponent"]
    geocoded = ask.json("baidu_maps", "map_geocode", address=baidu["address"])["result"]["location"]
    (named,) = ask.json("amap", "maps_geo", address=baidu["address"])["return"]
    middle = {"latitude": venue.point.lat, "longitude": venue.point.lng}
    listed = ask.json("google_maps", "maps_search_places", query=venue.en, location=middle, radius=50)["places"]
    shown = next(place for place in listed if place["place_id"] == row["google_id"])
    reverse = ask.json("google_maps", "maps_reverse_geocode", **middle)["formatted_address"]
    forth = ask.json("google_maps", "maps_geocode", address=reverse)["location"]
    by_app: dict[str, Values] = {
        "amap geocoder": {"point": tuple(float(number) for number in named["location"].split(","))},
        "baidu_maps geocoder": {"point": (geocoded["lng"], geocoded["lat"])},
        "baidu_maps reverse": {"address_zh": f"{part['street']}{part['street_number']}", "district": part["district"]},
        "google_maps geocoder": {"point": (forth["lng"], forth["lat"])},
        "google_maps reverse": {"address_en": says(reverse, holds["address_en"])},
        "amap": {
            "zh": amap["name"],
            "point": tuple(float(part) for part in amap["location"].split(",")),
            "address_zh": amap["address"],
            "rating": amap["rating"],
            "district": ask.json("amap", "maps_regeocode", location=at)["district"],
        },
        "amap search": {"zh": amap_poi["name"], "address_zh": amap_poi["address"]},
        "baidu_maps": {
            "zh": baidu["name"],
            "point": (baidu["location"]["lng"], baidu["location"]["lat"]),
            "address_zh": says(baidu["address"], holds["address_zh"]),
            "district": baidu["area"],
            "telephone": re.sub(r"\D", "", baidu["telephone"]),
            "rating": baidu["detail_info"]["overall_rating"],
            "first": baidu["detail_info"]["shop_hours"],
        },
        "baidu_maps search": {"zh": same["name"], "point": (same["location"]["lng"], same["location"]["lat"])},
        "google_maps": {
            "en": google["name"],
            "point": (google["location"]["lng"], google["location"]["lat"]),
            "address_en": says(google["formatted_address"], holds["address_en"]),
            "telephone": re.sub(r"\D", "", google.get("formatted_phone_number", "")),
            "rating": f"{google['rating']:.1f}",
            "week": [_span(text) for text in google["opening_hours"]["weekday_text"]],
        },
        "google_maps search": {"en": shown["name"], "rating": f"{shown['rating']:.1f}"},
    }
    for host, lang in (("roundtable", "en"), ("quchu", "zh")):
        url = f"https://{host}.example/guides/{venue.adcode}-{venue.category}"
        if venue.row[lang] in guides.get(url, ""):
            named = {lang: holds[lang], f"address_{lang}": holds[f"address_{lang}"], "rating": holds["rating"]}
            line = " ".join((holds[f"address_{lang}"], f"{row['price']}", told_hours(row, lang), holds["rating"]))
            for app, text in ask.page(url).items():
                by_app[f"{app} {lang}"] = {name: value if says(text, line) else None for name, value in named.items()}
    return Fact(f"place {venue.id}", holds, by_app)


def _span(text: str) -> str:
    """Return the hours of a line such as "Monday: 9:00 AM – 10:00 PM"."""
    hours = text.partition(": ")[2]
    if hours in ("Closed", "Open 24 hours"):
        return {"Closed": "", "Open 24 hours": "00:00-24:00"}[hours]
    ends = [_clock(*end.split()) for end in hours.split(" – ")]
    return f"{ends[0]}-{'24:00' if ends[1] == '00:00' else ends[1]}"


def _clock(time: str, half: str) -> str:
    hour, minute = time.split(":")
    return f"{int(hour) % 12 + (12 if half == 'PM' else 0):02}:{minute}"


_MODES: Mapping[Mode, tuple[str, str, str, str]] = {
    "car": ("driving", "1", "driving", "driving"),
    "foot": ("walking", "3", "walking", "walking"),
    "bicycle": ("bicycling", "", "riding", "bicycling"),
}
"""The names of a mode in AMap, its distance tool, Baidu and Google."""


def ways(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """Return distance and duration between two venues of a city, from the routes and matrices of the three map apps."""
    facts: list[Fact] = []
    venues = list(ask.atlas.venues.values())
    while len(facts) < count:
        start = draw.choice(venues)
        end = draw.choice([v for v in venues if v.adcode[:4] == start.adcode[:4] and v.point != start.point])
        mode = draw.choice(list(_MODES))
        way = route(ask.atlas, mode, start.point, end.point)
        if way is not None:
            holds = {"metres": way.metres, "seconds": way.seconds}
            facts.append(Fact(f"way {mode} {start.id} {end.id}", holds, _ways(ask, mode, start, end)))
    return facts


def _ways(ask: Asking, mode: Mode, start: Venue, end: Venue) -> dict[str, Values]:
    amap, kind, baidu, google = _MODES[mode]
    ends = [f"{v.point.lng},{v.point.lat}" for v in (start, end)]
    swapped = [f"{v.point.lat},{v.point.lng}" for v in (start, end)]
    if mode == "bicycle":
        named = {"origin_coordinates": ends[0], "destination_coordinates": ends[1]}
        first = ask.json("amap", "maps_bicycling_by_coordinates", **named)["data"]["paths"][0]
    else:
        tool = f"maps_direction_{amap}_by_coordinates"
        first = ask.json("amap", tool, origin=ends[0], destination=ends[1])["route"]["paths"][0]
    second = ask.json("baidu_maps", "map_directions", origin=swapped[0], destination=swapped[1], model=baidu)
    pairs = {"origins": swapped[0], "destinations": swapped[1], "model": baidu}
    cell = ask.json("baidu_maps", "map_directions_matrix", **pairs)["result"][0]
    third = ask.json("google_maps", "maps_directions", origin=swapped[0], destination=swapped[1], mode=google)[
        "routes"
    ][0]
    lists = {"origins": [swapped[0]], "destinations": [swapped[1]], "mode": google}
    element = ask.json("google_maps", "maps_distance_matrix", **lists)["results"][0]["elements"][0]
    by_app = {
        "amap": (first["distance"], first["duration"]),
        "baidu_maps": (second["result"]["routes"][0]["distance"], second["result"]["routes"][0]["duration"]),
        "baidu_maps matrix": (cell["distance"]["value"], cell["duration"]["value"]),
        "google_maps": (third["distance"]["value"], third["duration"]["value"]),
        "google_maps matrix": (element["distance"]["value"], element["duration"]["value"]),
    }
    if kind:
        measured = ask.json("amap", "maps_distance", origins=ends[0], destination=ends[1], type=kind)["results"][0]
        by_app["amap distance"] = (measured["distance"], measured["duration"])
    return {app: {"metres": int(length), "seconds": int(time)} for app, (length, time) in by_app.items()}


def lines(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """Return rides between stops: line, stops and duration, from the three map apps."""
    facts: list[Fact] = []
    while len(facts) < count:
        line = draw.choice(ask.atlas.lines)
        board, alight = draw.sample(line.stops, 2)
        start, end = ask.atlas.nodes[board.node], ask.atlas.nodes[alight.node]
        way = journey(ask.atlas, start, end)
        if way is None or any(isinstance(leg, Ride) and leg.line.kind == "rail" for leg in way.legs):
            continue  # AMap reports no stops of trains
        rides = [leg for leg in way.legs if isinstance(leg, Ride)]
        holds = {
            "seconds": way.seconds,
            "lines": [ride.line.zh for ride in rides],
            "ends": [(ride.board.zh, ride.alight.zh) for ride in rides],
            "between": [[stop.zh for stop in ride.between] for ride in rides],
            "counts": [len(ride.between) + 1 for ride in rides],
            "lengths": [ride.metres for ride in rides],
            "towards": [ride.towards.en for ride in rides],
        }
        facts.append(Fact(f"line {line.id} {board.place} {alight.place}", holds, _rides(ask, start, end)))
    return facts


def _rides(ask: Asking, start: Point, end: Point) -> dict[str, Values]:
    ends = {"origin": f"{start.lng},{start.lat}", "destination": f"{end.lng},{end.lat}"}
    swapped = {"origin": f"{start.lat},{start.lng}", "destination": f"{end.lat},{end.lng}"}
    tool = "maps_direction_transit_integrated_by_coordinates"
    amap = ask.json("amap", tool, **ends, city="云海市", cityd="云海市")["route"]["transits"][0]
    buses = [line for segment in amap["segments"] for line in segment["bus"]["buslines"]]
    baidu = ask.json("baidu_maps", "map_directions", **swapped, model="transit")["result"]["routes"][0]
    legs = [leg for (leg,) in baidu["steps"] if leg["vehicle"]]
    google = ask.json("google_maps", "maps_directions", **swapped, mode="transit")["routes"][0]
    steps = [step for step in google["steps"] if step["travel_mode"] == "TRANSIT"]
    return {
        "amap": {
            "seconds": int(amap["duration"]),
            "lines": [bus["name"].partition("(")[0] for bus in buses],
            "ends": [(bus["departure_stop"]["name"], bus["arrival_stop"]["name"]) for bus in buses],
            "between": [[stop["name"] for stop in bus["via_stops"]] for bus in buses],
            "lengths": [int(bus["distance"]) for bus in buses],
        },
        "baidu_maps": {
            "seconds": baidu["duration"],
            "lines": [leg["vehicle"]["name"] for leg in legs],
            "counts": [leg["vehicle"]["stop_num"] for leg in legs],
            "lengths": [leg["distance"] for leg in legs],
        },
        "google_maps": {
            "seconds": google["duration"]["value"],
            "lengths": [step["distance"]["value"] for step in steps],
            "towards": [step["instructions"].partition(" towards ")[2] for step in steps],
        },
    }


def weather(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """Return a day's weather in a city or district, from two map apps."""
    areas = [a for a in ask.atlas.areas.values() if a.level in ("city", "district") and a.adcode.isdigit()]
    facts: list[Fact] = []
    for area in draw.sample(areas, count):
        amap = ask.json("amap", "maps_weather", city=area.adcode)["forecasts"]
        baidu = ask.json("baidu_maps", "map_weather", district_id=area.adcode)["result"]["forecasts"]
        ahead = draw.randrange(len(amap))
        when = local(ask.moment).date() + timedelta(days=ahead)
        expected_day = day(ask.atlas, area, when)
        holds = {
            "date": when.isoformat(),
            "sky": tuple(expected_day.text),
            "degrees": (expected_day.high, expected_day.low),
            "wind": tuple(expected_day.wind),
        }
        first, second = amap[ahead], baidu[ahead]
        by_app: dict[str, Values] = {
            "amap": {
                "date": first["date"],
                "sky": (first["dayweather"], first["nightweather"]),
                "degrees": (int(first["daytemp"]), int(first["nighttemp"])),
                "wind": (first["daywind"], first["nightwind"]),
            },
            "baidu_maps": {
                "date": second["date"],
                "sky": (second["text_day"], second["text_night"]),
                "degrees": (second["high"], second["low"]),
                "wind": (second["wd_day"].removesuffix("风"), second["wd_night"].removesuffix("风")),
            },
        }
        facts.append(Fact(f"weather {area.adcode} {when}", holds, by_app))
    return facts
