"""The `maps_place_details` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.google_maps.rules.errors import Status, failed
from soundstage.kernels.google_maps.rules.request import admit, present, written
from soundstage.kernels.google_maps.rules.texts import opening_hours
from soundstage.kernels.types import Arguments

_WELL_FORMED = "ChIJ"


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return the known details of a place by its id.

    The members are name, formatted_address, location, formatted_phone_number, website, rating, reviews and opening_hours.
    """
    place_id = written(arguments, "place_id")
    try:
        admit(context)
        row = context.get("place", place_id)
        if row is None:
            raise Status("NOT_FOUND" if place_id.startswith(_WELL_FORMED) else "INVALID_REQUEST")
    except Status as refusal:
        raise failed("Place details request", refusal) from None
    hours = row.get("opening_hours")
    if hours is None and row.get("hours"):
        hours = opening_hours(row["hours"], context.now())
    return present(
        name=row.get("name"),
        formatted_address=row.get("formatted_address"),
        location=row["geometry"]["location"],
        formatted_phone_number=row.get("formatted_phone_number"),
        website=row.get("website"),
        rating=row.get("rating"),
        reviews=row.get("reviews"),
        opening_hours=hours,
    )
