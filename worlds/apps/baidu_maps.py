"""Baidu Maps' rows: what it tells is the library's, and a world has none of its own."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {
    "poi": Rows(),
    "geocode": Rows(),
    "route": Rows(),
    "district_weather": Rows(),
    "ip_location": Rows(),
    "road_traffic": Rows(),
    "poi_extract": Rows(),
    "api_key": Rows(),
    "server": Rows(),
}
