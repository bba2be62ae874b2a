"""AMap as people see it: a city's streets and places, one place in full, and the way from it to another."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.places.atlas import atlas_of
from soundstage.kernels.engines.places.picture import HEIGHT, SECTIONS, WIDTH, picture, section_of, venues_of
from soundstage.kernels.engines.places.routes import route
from soundstage.servers.view import Query, View

_CHINA = timezone(timedelta(hours=8))
_MOST_ROWS = 60


def show(context: AppContext, query: Query, now: datetime) -> View:
    """`section` is the part that is shown, `place` the id of a place in it, `to` that of another one to go to by car.

    A session that has places of its own is shown those, which may lie anywhere, without streets.
    """
    if context.source("poi") == "own":
        rows = context.list("poi", limit=_MOST_ROWS)
        one = context.get("poi", query.get("place", ""))
        return View("map.html.jinja", {"own": rows, "chosen": one}, _CHINA)
    atlas = atlas_of(context)
    chosen, aim = (atlas.by_amap_id.get(query.get(name, "")) for name in ("place", "to"))
    asked = next((section for section in SECTIONS if section.key == query.get("section")), SECTIONS[0])
    section = section_of(chosen) if chosen else asked
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
        "row": context.get("poi", chosen.row["amap_id"]) if chosen else None,
        "aim": aim,
        "way": way,
        "streets": atlas.streets,
    }
    return View("map.html.jinja", data, _CHINA)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Places alone are shown."""
    return {"place": str(value["id"])} if entity == "poi" else None
