"""Places: areas, streets with their numbers, the graph of ways, venues, lines with stops, and the conditions of some days.

The facts are neutral; three map apps present them, each in its own format. Lengths are in metres, times in seconds, points in
degrees with six decimals. All numbers are the same for every app: none of them converts between datums.
"""

from __future__ import annotations

from sqlalchemy import REAL, Column, Integer, Text

from soundstage.contexts.engine.schema import AppTables, Flag, Json

TABLES = AppTables("places")

# `level` is country, province, city or district; `adcode` of places abroad starts with a letter. `citycode` is AMap's (also the
# telephone's), `baidu_code` Baidu's. A city with streets has `bounds` "west,south;east,north"; the others are bare centres.
AREA = TABLES.entity(
    "area",
    Column("adcode", Text, primary_key=True),
    Column("level", Text),
    Column("zh", Text),
    Column("en", Text),
    Column("parent", Text),
    Column("citycode", Text),
    Column("baidu_code", Integer),
    Column("lng", REAL),
    Column("lat", REAL),
    Column("bounds", Text),
    Column("mercator", Text),
)

# A street of one city; `lng` and `lat` are where it is shown when no number is asked for.
STREET = TABLES.entity(
    "street",
    Column("id", Text, primary_key=True),
    Column("zh", Text),
    Column("en", Text),
    Column("short", Text),
    Column("city", Text),
    Column("lng", REAL),
    Column("lat", REAL),
)

# Points along a street, in order, with the house number at each; none where there are no houses.
ANCHOR = TABLES.entity(
    "anchor",
    Column("street", Text, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("lng", REAL),
    Column("lat", REAL),
    Column("number", Integer),
    Column("adcode", Text),
)

NODE = TABLES.entity(
    "node", Column("id", Integer, primary_key=True), Column("lng", REAL), Column("lat", REAL), Column("city", Text)
)

# A way between two nodes. A length that is absent: that mode may not use it. `oneway`: cars go from `a` to `b` alone.
EDGE = TABLES.entity(
    "edge",
    Column("id", Integer, primary_key=True),
    Column("a", Integer),
    Column("b", Integer),
    Column("street", Text),
    Column("car", Integer),
    Column("car_seconds", Integer),
    Column("bicycle", Integer),
    Column("foot", Integer),
    Column("oneway", Flag),
)

# `hours` are seven texts from Monday on, such as "09:00-22:00", "" where it is closed; `rating` and `price` are tenths and yuan.
# `region` names the neighbourhood of a world that it belongs to (studio, campus).
VENUE = TABLES.entity(
    "venue",
    Column("id", Text, primary_key=True),
    Column("zh", Text),
    Column("en", Text),
    Column("alias", Text),
    Column("category", Text),
    Column("lng", REAL),
    Column("lat", REAL),
    Column("adcode", Text),
    Column("street", Text),
    Column("number", Integer),
    Column("business_area", Text),
    Column("amap_id", Text, index=True),
    Column("typecode", Text),
    Column("amap_type", Text),
    Column("baidu_uid", Text, index=True),
    Column("baidu_tag", Text),
    Column("baidu_type", Text),
    Column("google_id", Text, index=True),
    Column("google_types", Json),
    Column("phone", Text),
    Column("rating", Integer),
    Column("price", Integer),
    Column("comments", Integer),
    Column("hours", Json),
    Column("reviews", Json),
    Column("site", Text),
    Column("region", Text),
)

# `kind` is bus, metro or rail; `wait` is how long one waits for it, ends are the names of its first and last stop.
LINE = TABLES.entity(
    "line",
    Column("id", Text, primary_key=True),
    Column("zh", Text),
    Column("en", Text),
    Column("kind", Text),
    Column("city", Text),
    Column("wait", Integer),
    Column("price", Integer),
)

# `metres` and `seconds` are the ride from the stop before.
STOP = TABLES.entity(
    "stop",
    Column("line", Text, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("zh", Text),
    Column("en", Text),
    Column("node", Integer),
    Column("metres", Integer),
    Column("seconds", Integer),
    Column("gate", Text),
)

# Addresses of the net, first and last as numbers.
IP_RANGE = TABLES.entity(
    "ip_range", Column("first", Integer, primary_key=True), Column("last", Integer), Column("adcode", Text)
)

# Recorded weather of a day, which replaces the generated one. `now` is the last bulletin's observation, `days` the number of
# forecast days. `text`, `wind` and `force` are pairs: by day, by night.
WEATHER = TABLES.entity(
    "weather",
    Column("adcode", Text, primary_key=True),
    Column("date", Text, primary_key=True),
    Column("text", Json),
    Column("high", Integer),
    Column("low", Integer),
    Column("wind", Json),
    Column("force", Json),
    Column("days", Integer),
    Column("now", Json),
)

# Recorded traffic of a street on a day: 1 clear, 2 slow, 3 congested, 4 jammed.
TRAFFIC = TABLES.entity(
    "traffic",
    Column("street", Text, primary_key=True),
    Column("date", Text, primary_key=True),
    Column("status", Integer),
)

# Recorded elevations; elsewhere a function computes them.
ELEVATION = TABLES.entity(
    "elevation",
    Column("lng", REAL, primary_key=True),
    Column("lat", REAL, primary_key=True),
    Column("metres", REAL),
    Column("resolution", REAL),
)
