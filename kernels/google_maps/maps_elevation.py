"""The `maps_elevation` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, parse_lat_lng
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.places.atlas import atlas_of
from soundstage.kernels.engines.places.ground import height
from soundstage.kernels.google_maps.rules.errors import Status, failed, invalid, missing
from soundstage.kernels.google_maps.rules.request import admit, array, location, member
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return the elevation of points: {results: [{elevation, location: {lat, lng}, resolution}]}, in metres."""
    places = array(arguments, "locations", "map")
    joined = "|".join(f"{member(place, 'latitude')},{member(place, 'longitude')}" for place in places)
    try:
        admit(context)
        if not joined:
            raise missing("'path' or 'locations'")
        points = [parse_lat_lng(text) for text in joined.split("|")]
        results = [_height(context, point) for point in points if point is not None]
        if len(results) < len(points):
            raise invalid("locations")
    except Status as refusal:
        raise failed("Elevation request", refusal) from None
    return {"results": results}


def _height(context: AppContext, point: Point) -> Object:
    """Return the elevation of a point from the session's rows or the library.

    Raises:
        Status: DATA_NOT_AVAILABLE if only the session's rows count and they lack the point.
    """
    source = context.source("elevation")
    for row in context.list("elevation") if source != "library" else []:
        if (row["location"]["lng"], row["location"]["lat"]) == point:
            return {"elevation": row["elevation"], "location": row["location"], "resolution": row["resolution"]}
    if source == "own":
        raise Status("DATA_NOT_AVAILABLE")
    metres, resolution = height(atlas_of(context), point)
    return {"elevation": metres, "location": location(point), "resolution": resolution}
