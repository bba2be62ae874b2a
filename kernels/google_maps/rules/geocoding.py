"""Geocoding and reverse geocoding with the session's rows or the library's places in English."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, metres, parse_lat_lng
from soundstage.contexts.engine.ids import make_id
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.places import addresses
from soundstage.kernels.engines.places.addresses import Spot
from soundstage.kernels.engines.places.atlas import Atlas, atlas_of

_WORD = re.compile(r"\w+")
_NEAR = 10_000
"""Maximum distance in metres of the known point that represents a place."""
_PLACE_ID = "place_id:"


def located(context: AppContext, text: str) -> Object | None:
    """Return the address row {formatted_address, place_id?, lat, lng, address_components?} for a text, or None.

    A session's row matches if its address contains all words or the text is a point near it. In the library, the text names an
    area, street, house number or venue.
    """
    source = context.source("address")
    if source != "library":
        point = parse_lat_lng(text)
        near = _nearest_row(context, point) if point is not None else None
        if near is not None:
            return near
        words = _WORD.findall(text.casefold())
        for row in context.list("address"):
            known = set(_WORD.findall(row["formatted_address"].casefold()))
            if words and all(word in known for word in words):
                return row
    return of_library(context, text) if source != "own" else None


def of_library(context: AppContext, text: str) -> Object | None:
    """Return the library's address row for an address, a place, a point or a place id."""
    atlas = atlas_of(context)
    if text.startswith(_PLACE_ID):
        venue = atlas.by_google_id.get(text.removeprefix(_PLACE_ID))
        return _row(atlas, addresses.spot_of(atlas, venue)) if venue else None
    point = parse_lat_lng(text)
    if point is not None:
        spot = addresses.at(atlas, point)
        return {**_row(atlas, spot), "lat": point.lat, "lng": point.lng} if spot else None
    index = addresses.find(atlas, text)
    return _row(atlas, index[0]) if index else None


def nearest(context: AppContext, point: Point) -> Object | None:
    """Return the address row nearest to a point, or None if the point is far from all of them."""
    source = context.source("address")
    row = _nearest_row(context, point) if source != "library" else None
    if row is not None or source == "own":
        return row
    spot = addresses.at(atlas_of(context), point)
    return _row(atlas_of(context), spot) if spot else None


def _nearest_row(context: AppContext, point: Point) -> Object | None:
    """Return the nearest of the session's rows within reach."""
    rows = [(metres(point, Point(row["lng"], row["lat"])), row) for row in context.list("address")]
    away, row = min(rows, key=lambda pair: pair[0], default=(_NEAR + 1.0, None))
    return row if away <= _NEAR else None


def _row(atlas: Atlas, spot: Spot) -> Object:
    text = addresses.english_address(atlas, spot)
    own = spot.venue.row["google_id"] if spot.venue else None
    return {
        "formatted_address": text,
        "place_id": own or make_id("ChIJ{base64url:23}", 0, f"google_maps.address.{text}", 0),
        "lat": spot.point.lat,
        "lng": spot.point.lng,
        "address_components": _components(atlas, spot),
    }


def _components(atlas: Atlas, spot: Spot) -> list[Object]:
    results: list[Object] = []

    def add(name: str, *types: str, short: str | None = None) -> None:
        results.append({"long_name": name, "short_name": short or name, "types": list(types)})

    if spot.venue is not None and spot.number is None:
        kinds = [kind for kind in spot.venue.row["google_types"] if kind != "point_of_interest"]
        add(spot.venue.en, *kinds)
    elif spot.street is not None:
        if spot.number is not None:
            add(str(spot.number), "street_number")
        add(spot.street.en, "route", short=spot.street.short)
    chain = atlas.chain(spot.adcode)
    levels = {
        "district": ("sublocality_level_1", "sublocality", "political"),
        "city": ("locality", "political"),
        "province": ("administrative_area_level_1", "political"),
    }
    for level, types in levels.items():
        if level in chain:
            add(chain[level].en, *types)
    return results
