"""AMap's rows: what it tells is the library's, and a world has none of its own."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {
    "poi": Rows(),
    "geocode": Rows(),
    "route": Rows(),
    "weather": Rows(),
    "ip_location": Rows(),
    "api_key": Rows(),
}
