"""AMap (高德地图), with the field names of its web services. Entities without rows are filled from the library."""

from __future__ import annotations

from sqlalchemy import Column, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("amap", library=True)

NOTHING = "SELECT NULL AS _seq WHERE 0"
"""Library rows of an entity that is computed from the library; only the session's own rows exist."""

_TEXT = (str, list, None)
"""A text, or [] if it is missing."""
_LENGTH = (str, int, float, None)
_BUSLINE = {"departure_stop": dict, "arrival_stop": dict, "via_stops": [dict]}
_SEGMENT = {
    "walking": {"steps": [dict]},
    "bus": {"buslines": [_BUSLINE]},
    "entrance": dict,
    "exit": dict,
    "railway": dict,
}

# A missing member is []. `biz_ext` is {rating, cost}.
POI = TABLES.entity(
    "poi",
    Column("id", Text, primary_key=True, info=id_format("B0{upper:8}")),
    Column("name", Text),
    Column("address", Json, info=shape(_TEXT)),
    Column("location", Text),
    Column("typecode", Text),
    Column("type", Text),
    Column("tel", Json, info=shape(_TEXT)),
    Column("biz_ext", Json, info=shape((dict, list, None))),
    Column("pname", Text),
    Column("cityname", Text),
    Column("adname", Text),
    Column("business_area", Json, info=shape(_TEXT)),
    Column("alias", Json, info=shape(_TEXT)),
    Column("tag", Json, info=shape((str, list, None))),
    Column("biz_type", Json, info=shape(_TEXT)),
    backed="""
        SELECT v.amap_id AS id, v.zh AS name, v.typecode AS typecode, v.amap_type AS type,
            coalesce(json_quote(s.zh || v.number || '号'), '[]') AS address,
            printf('%.6f,%.6f', v.lng, v.lat) AS location,
            coalesce(json_quote(v.phone), '[]') AS tel,
            json_object(
                'rating', json(CASE WHEN v.rating IS NULL THEN '[]' ELSE printf('"%.1f"', v.rating / 10.0) END),
                'cost', json(CASE WHEN v.price IS NULL THEN '[]' ELSE printf('"%.2f"', v.price) END)
            ) AS biz_ext,
            coalesce(p.zh, c.zh) AS pname, c.zh AS cityname, d.zh AS adname,
            CASE WHEN v.business_area IS NULL THEN '[]' ELSE json_quote(v.business_area) END AS business_area,
            CASE WHEN v.alias IS NULL THEN '[]' ELSE json_quote(v.alias) END AS alias,
            '[]' AS tag, '[]' AS biz_type, v._seq AS _seq
        FROM places_venue v
            JOIN places_area d ON d.adcode = v.adcode
            JOIN places_area c ON c.adcode = d.parent
            LEFT JOIN places_area p ON p.adcode = c.parent AND p.level = 'province'
            LEFT JOIN places_street s ON s.id = v.street
    """,
)

GEOCODE = TABLES.entity(
    "geocode",
    Column("formatted_address", Text, primary_key=True),
    Column("location", Text),
    Column("adcode", Text),
    Column("level", Text),
    Column("country", Text),
    Column("province", Text),
    Column("city", Json, info=shape(_TEXT)),
    Column("citycode", Text),
    Column("district", Json, info=shape(_TEXT)),
    Column("street", Json, info=shape(_TEXT)),
    Column("number", Json, info=shape(_TEXT)),
    backed=NOTHING,
)

# A route between two points; a route of mode `any` (the default) states only the road, and its lengths are the library's.
# `distance` and `duration` are strings, for bicycles numbers.
ROUTE = TABLES.entity(
    "route",
    Column("from", Text, primary_key=True),
    Column("to", Text, primary_key=True),
    Column("mode", Text, primary_key=True, info=id_format("any")),
    Column("road", Text),
    Column("distance", Json, info=shape(_LENGTH)),
    Column("duration", Json, info=shape(_LENGTH)),
    Column("steps", Json, info=shape([dict])),
    Column("transits", Json, info=shape([{"segments": [_SEGMENT]}])),
    backed=NOTHING,
)

WEATHER = TABLES.entity(
    "weather",
    Column("adcode", Text, primary_key=True),
    Column("province", Text),
    Column("city", Text),
    Column("reporttime", Text),
    Column("casts", Json, info=shape([dict])),
    backed=NOTHING,
)

IP_LOCATION = TABLES.entity(
    "ip_location",
    Column("ip", Text, primary_key=True),
    Column("province", Json, info=shape(_TEXT)),
    Column("city", Json, info=shape(_TEXT)),
    Column("adcode", Json, info=shape(_TEXT)),
    Column("rectangle", Json, info=shape(_TEXT)),
    backed=NOTHING,
)

# The server's key; without a row it is valid.
API_KEY = TABLES.entity(
    "api_key",
    Column("key", Text, primary_key=True, info=id_format("{hex:32}")),
    Column("valid", Flag),
    Column("over_query_limit", Flag),
)

MEANING = Meaning(text={"poi": lambda row: row.get("name") or ""})
