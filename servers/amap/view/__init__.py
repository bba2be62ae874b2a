"""AMap as people see it: a city's streets and places, one place in full, and the way from it to another."""

from __future__ import annotations

from datetime import datetime

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.places.atlas import atlas_of
from soundstage.servers.map_view import show_map
from soundstage.servers.view import Query, View


def show(context: AppContext, query: Query, now: datetime) -> View:
    """A part of a city; see `show_map`."""
    return show_map(context, query, "poi", atlas_of(context).by_amap_id, "amap_id")


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Places alone are shown."""
    return {"place": str(value["id"])} if entity == "poi" else None
