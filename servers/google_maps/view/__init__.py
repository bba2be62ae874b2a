"""The view of Google Maps: a city's streets and places, the details of one place, and the route to another."""

from __future__ import annotations

from datetime import datetime

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.places.atlas import atlas_of
from soundstage.servers.map_view import show_map
from soundstage.servers.view import Query, View


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show a part of a city (`show_map`)."""
    return show_map(context, query, "place", atlas_of(context).by_google_id, "google_id")


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a place; other rows are not shown."""
    return {"place": str(value["place_id"])} if entity == "place" else None
