"""Baidu Maps (百度地图), with the field names of its web services. Entities without rows are filled from the library."""

from __future__ import annotations

from sqlalchemy import REAL, Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("baidu_maps", library=True)

NOTHING = "SELECT NULL AS _seq WHERE 0"
"""Library rows of an entity that is computed from the library; only the session's own rows exist."""
_POINT = {"lat": float, "lng": float}

POI = TABLES.entity(
    "poi",
    Column("name", Text),
    Column("location", Json, info=shape(_POINT)),
    Column("address", Text),
    Column("province", Text),
    Column("city", Text),
    Column("area", Text),
    Column("adcode", Integer),
    Column("telephone", Text),
    Column("detail", Integer),
    Column("uid", Text, primary_key=True, info=id_format("{hex:24}")),
    Column("detail_info", Json, info=shape(dict)),
    backed="""
        SELECT v.zh AS name, json_object('lat', v.lat, 'lng', v.lng) AS location,
            coalesce(p.zh, '') || c.zh || d.zh || coalesce(s.zh, '') || coalesce(v.number || '号', '') AS address,
            coalesce(p.zh, c.zh) AS province, c.zh AS city, d.zh AS area, CAST(v.adcode AS INTEGER) AS adcode,
            coalesce(v.phone, '') AS telephone, 1 AS detail, v.baidu_uid AS uid,
            json_object(
                'classified_poi_tag', v.baidu_tag, 'type', v.baidu_type, 'tag', v.baidu_tag,
                'navi_location', json_object('lng', v.lng, 'lat', v.lat),
                'price', CASE WHEN v.price IS NULL THEN '' ELSE printf('%.1f', v.price) END,
                'overall_rating', CASE WHEN v.rating IS NULL THEN '' ELSE printf('%.1f', v.rating / 10.0) END,
                'comment_num', CAST(coalesce(v.comments, 0) AS TEXT),
                'shop_hours', coalesce((SELECT h.value FROM json_each(v.hours) h WHERE h.value != '' LIMIT 1), '')
            ) AS detail_info,
            v._seq AS _seq
        FROM places_venue v
            JOIN places_area d ON d.adcode = v.adcode
            JOIN places_area c ON c.adcode = d.parent
            LEFT JOIN places_area p ON p.adcode = c.parent AND p.level = 'province'
            LEFT JOIN places_street s ON s.id = v.street
    """,
)

GEOCODE = TABLES.entity(
    "geocode",
    Column("address", Text, primary_key=True),
    Column("lng", REAL),
    Column("lat", REAL),
    Column("precise", Integer),
    Column("confidence", Integer),
    Column("comprehension", Integer),
    Column("level", Text),
    Column("business", Text),
    Column("sematic_description", Text),
    Column("addressComponent", Json, info=shape({"adcode": str})),
    backed=NOTHING,
)

# `steps` are objects; for public transport, lists of objects that form one leg each.
ROUTE = TABLES.entity(
    "route",
    Column("id", Text, primary_key=True, info=id_format("{hex:16}")),
    Column("origin", Json, info=shape(_POINT)),
    Column("destination", Json, info=shape(_POINT)),
    Column("model", Text),
    Column("distance", Integer),
    Column("duration", Integer),
    Column("traffic_condition", Integer),
    Column("toll", Integer),
    Column("price", Integer),
    Column("steps", Json, info=shape(list)),
    backed=NOTHING,
)

DISTRICT_WEATHER = TABLES.entity(
    "district_weather",
    Column("district_id", Text, primary_key=True),
    Column("center", Json, info=shape(_POINT)),
    Column("location", Json, info=shape(dict)),
    Column("now", Json, info=shape(dict)),
    Column("forecasts", Json, info=shape([dict])),
    backed=NOTHING,
)

IP_LOCATION = TABLES.entity(
    "ip_location",
    Column("ip", Text, primary_key=True),
    Column("address", Text),
    Column("content", Json, info=shape(dict)),
    backed=NOTHING,
)

# The requested street (road_name with city) or area (center, bounds or vertexes).
ROAD_TRAFFIC = TABLES.entity(
    "road_traffic",
    Column("id", Text, primary_key=True, info=id_format("{hex:16}")),
    Column("road_name", Text),
    Column("city", Text),
    Column("center", Text),
    Column("bounds", Text),
    Column("vertexes", Text),
    Column("description", Text),
    Column("evaluation", Json, info=shape(dict)),
    Column("road_traffic", Json, info=shape([dict])),
    backed=NOTHING,
)

# The result for a text; `pending` means that it is not ready after five polls.
POI_EXTRACT = TABLES.entity(
    "poi_extract",
    Column("map_id", Text, primary_key=True, info=id_format("{hex:32}")),
    Column("text_content", Text),
    Column("data", Json, info=shape(list)),
    Column("pending", Flag),
    backed=NOTHING,
)

# The server's key; without a row it is valid.
API_KEY = TABLES.entity(
    "api_key",
    Column("key", Text, primary_key=True, info=id_format("{alnum:32}")),
    Column("valid", Flag),
    Column("over_query_limit", Flag),
)

# The server's MCP SDK: `generation` "mcp 1.9.0" is that of its uv.lock, any other value means one that validates arguments.
SERVER = TABLES.entity(
    "server", Column("id", Text, primary_key=True, info=id_format("server")), Column("generation", Text)
)

MEANING = Meaning(bookkeeping=frozenset({"server"}), text={"poi": lambda row: row.get("name") or ""})
