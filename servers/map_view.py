"""City maps for the views of the map apps: streets and places, the details of one place, and a route to another."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta, timezone
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.places.atlas import Venue, atlas_of
from soundstage.kernels.engines.places.picture import HEIGHT, SECTIONS, WIDTH, picture, section_of, venues_of
from soundstage.kernels.engines.places.routes import route
from soundstage.servers.view import Query, View

_CHINA = timezone(timedelta(hours=8))
_MOST_ROWS = 60


def show_map(context: AppContext, query: Query, entity: str, by_id: Mapping[str, Venue], id_column: str) -> View:
    """Show a map section, a place and a route.

    The query's `section` is the displayed part, `place` the id of a place, and `to` that of another one as the destination of a
    drive. If the session has its own places, only these are shown, without streets, because they may be anywhere. Places belong
    to the app's `entity`; `by_id` has the library's venues by the app's ids, which are in the rows' `id_column`.
    """
    if context.source(entity) == "own":
        rows = context.list(entity, limit=_MOST_ROWS)
        one = context.get(entity, query.get("place", ""))
        return View("map.html.jinja", {"own": rows, "chosen": one}, _CHINA)
    atlas = atlas_of(context)
    chosen, aim = (by_id.get(query.get(name, "")) for name in ("place", "to"))
    requested = next((section for section in SECTIONS if section.key == query.get("section")), SECTIONS[0])
    section = section_of(chosen) if chosen else requested
    venues = venues_of(atlas, section)
    way = route(atlas, "car", chosen.point, aim.point) if chosen and aim else None
    data: dict[str, Any] = {
        "sections": SECTIONS,
        "section": section,
        "picture": picture(atlas, section, venues, way),
        "width": WIDTH,
        "height": HEIGHT,
        "venues": venues[:_MOST_ROWS],
        "chosen": chosen,
        "row": context.get(entity, chosen.row[id_column]) if chosen else None,
        "aim": aim,
        "way": way,
        "streets": atlas.streets,
    }
    return View("map.html.jinja", data, _CHINA)
