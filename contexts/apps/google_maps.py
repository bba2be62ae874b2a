"""Google Maps, with the field names of its web services. Entities without rows are filled from the library."""

from __future__ import annotations

from sqlalchemy import REAL, Column, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("google_maps", library=True)

NOTHING = "SELECT NULL AS _seq WHERE 0"
"""Library rows of an entity that is computed from the library; only the session's own rows exist."""
_LOCATION = {"lat": float, "lng": float}

# `hours` are the library's, from which `opening_hours` are computed; the session's own rows have the latter directly.
PLACE = TABLES.entity(
    "place",
    Column("place_id", Text, primary_key=True, info=id_format("ChIJ{base64url:23}")),
    Column("name", Text),
    Column("formatted_address", Text),
    Column("geometry", Json, info=shape({"location": _LOCATION})),
    Column("formatted_phone_number", Text),
    Column("website", Text),
    Column("rating", REAL),
    Column("types", Json, info=shape([str])),
    Column("reviews", Json, info=shape([dict])),
    Column("opening_hours", Json, info=shape(dict)),
    Column("hours", Json, info=shape([str])),
    backed="""
        SELECT v.google_id AS place_id, v.en AS name,
            CASE WHEN s.en IS NULL THEN d.en WHEN v.number IS NULL THEN s.en ELSE v.number || ' ' || s.en END
                || ', ' || c.en AS formatted_address,
            json_object('location', json_object('lat', v.lat, 'lng', v.lng)) AS geometry,
            substr(v.phone, 1, instr(v.phone, '-') - 1) || ' '
                || substr(v.phone, instr(v.phone, '-') + 1, length(v.phone) - instr(v.phone, '-') - 4) || ' '
                || substr(v.phone, -4) AS formatted_phone_number,
            v.site AS website, v.rating / 10.0 AS rating, v.google_types AS types,
            (SELECT json_group_array(json_object(
                'author_name', r.value ->> 'author', 'rating', r.value ->> 'rating', 'text', r.value ->> 'text',
                'time', r.value ->> 'time')) FROM json_each(v.reviews) r HAVING count(*)) AS reviews,
            v.hours AS hours, v._seq AS _seq
        FROM places_venue v
            JOIN places_area d ON d.adcode = v.adcode
            JOIN places_area c ON c.adcode = d.parent
            LEFT JOIN places_street s ON s.id = v.street
    """,
)

ADDRESS = TABLES.entity(
    "address",
    Column("formatted_address", Text, primary_key=True),
    Column("place_id", Text),
    Column("lat", REAL),
    Column("lng", REAL),
    Column("address_components", Json, info=shape([dict])),
    backed=NOTHING,
)

# Both ends are formatted addresses. Only the first of `legs` counts.
ROUTE = TABLES.entity(
    "route",
    Column("origin", Text, primary_key=True),
    Column("destination", Text, primary_key=True),
    Column("mode", Text, primary_key=True),
    Column("summary", Text),
    Column("legs", Json, info=shape([{"distance": dict, "duration": dict, "steps": [dict]}])),
    backed=NOTHING,
)

ELEVATION = TABLES.entity(
    "elevation",
    Column("id", Text, primary_key=True, info=id_format("{hex:16}")),
    Column("location", Json, info=shape(_LOCATION)),
    Column("elevation", REAL),
    Column("resolution", REAL),
    backed=NOTHING,
)

# The server's key; without a row it is valid.
API_KEY = TABLES.entity(
    "api_key",
    Column("key", Text, primary_key=True, info=id_format("AIza{base64url:35}")),
    Column("valid", Flag),
    Column("over_query_limit", Flag),
)

MEANING = Meaning(text={"place": lambda row: row.get("name") or "", "address": lambda row: row["formatted_address"]})
