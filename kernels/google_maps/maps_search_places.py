"""The `maps_search_places` tool."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, parse_lat_lng
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import is_true, text
from soundstage.kernels.google_maps.rules.errors import Status, failed
from soundstage.kernels.google_maps.rules.request import admit, member, present, written
from soundstage.kernels.google_maps.rules.search import by_text
from soundstage.kernels.types import Arguments

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def run(context: AppContext, arguments: Arguments) -> Object:
    """Search places, at most twenty: {places: [{name, formatted_address, location, place_id, rating, types}]}."""
    query, middle = written(arguments, "query"), arguments.get("location")
    at = f"{member(middle, 'latitude')},{member(middle, 'longitude')}" if is_true(middle) else None
    try:
        admit(context)
        if not query:
            raise Status("INVALID_REQUEST")
        result = by_text(context, query, _point(at), _radius(arguments.get("radius")))
        if not result:
            raise Status("ZERO_RESULTS")
    except Status as refusal:
        raise failed("Place search", refusal) from None
    return {"places": [_shown(place) for place in result]}


def _point(at: str | None) -> Point | None:
    """Return the centre of the search, if one is given.

    Raises:
        Status: INVALID_REQUEST for an invalid point.
    """
    point = parse_lat_lng(at) if at is not None else None
    if at is not None and point is None:
        raise Status("INVALID_REQUEST")
    return point


def _radius(radius: object) -> float | None:
    """Return the radius of the search, if one is given; the service receives its text.

    Raises:
        Status: INVALID_REQUEST for a value that is not a positive number.
    """
    if not is_true(radius):
        return None
    if not _NUMBER.fullmatch(written := text(radius)) or float(written) <= 0:
        raise Status("INVALID_REQUEST")
    return float(written)


def _shown(place: Object) -> Object:
    return present(
        name=place.get("name"),
        formatted_address=place.get("formatted_address"),
        location=place["geometry"]["location"],
        place_id=place["place_id"],
        rating=place.get("rating"),
        types=place.get("types"),
    )
