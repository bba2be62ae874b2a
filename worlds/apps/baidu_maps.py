"""Baidu Maps in a world: its data is the library's, and a world adds no rows."""

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
