"""Points of interest: by keywords, around a point, and by id (v3/place/text, around and detail)."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import parse_lng_lat
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import INVALID_PARAMS, Info
from soundstage.kernels.amap.rules.request import admit, point
from soundstage.kernels.engines.digits import bounded_integer
from soundstage.kernels.engines.places import venues
from soundstage.kernels.engines.places.atlas import atlas_of
from soundstage.kernels.engines.places.venues import Candidate, Shelf

_PAGE = 20
_WIDEST, _USUAL = 50_000, 5_000
"""A radius above the first value counts as the second, and so does an empty one."""


def by_keywords(context: AppContext, keywords: str, city: str, citylimit: str) -> list[Object]:
    """Return the first twenty places for keywords (`|` means or, a space means and), first or only those in the city.

    Raises:
        Info: The checks of `admit` failed.
    """
    admit(context, keywords)
    result = venues.by_words(_SHELF.candidates(context), _groups(keywords))
    if city:
        inside = _in_city(context, city)
        limited = citylimit == "true"
        result = (
            [c for c in result if c.key in inside] if limited else venues.preferred(result, lambda c: c.key in inside)
        )
    return _rows(context, result)


def around(context: AppContext, location: str, radius: str, keywords: str) -> list[Object]:
    """Return the first twenty places within a radius, nearest first.

    Raises:
        Info: The checks of `admit` failed, or INVALID_PARAMS for an invalid point or radius.
    """
    admit(context, location)
    centre = point(location)
    if radius and not radius.isdecimal():
        raise Info(INVALID_PARAMS)
    wide = bounded_integer(radius, _WIDEST) if radius else _USUAL
    if wide > _WIDEST:
        wide = _USUAL
    result = _SHELF.candidates(context)
    if keywords:
        result = venues.by_words(result, _groups(keywords))
    return _rows(context, [candidate for candidate, _ in venues.around(result, centre, wide)])


def _groups(keywords: str) -> list[list[str]]:
    return [group.split() for group in keywords.split("|") if group.split()]


def _rows(context: AppContext, results: list[Candidate]) -> list[Object]:
    rows = (context.get("poi", candidate.key) for candidate in results[:_PAGE])
    return [row for row in rows if row is not None]


def _of_row(row: Object) -> Candidate:
    words = [row.get("name"), row.get("alias"), row.get("type")]
    text = " ".join(word for word in words if isinstance(word, str)).casefold()
    return Candidate(row["id"], parse_lng_lat(row.get("location") or ""), str(row.get("name", "")).casefold(), text)


_SHELF = Shelf("amap", "poi", "amap_id", lambda venue: str(venue.row["amap_type"]), _of_row)


def _in_city(context: AppContext, city: str) -> set[str]:
    """Return the ids of the places in the city or district with this name or code; rows only have the name."""
    inside = _SHELF.in_area(context, city)
    if context.source("poi") != "library":
        area = atlas_of(context).area_named(city)
        names = {city, area.zh if area else city}
        inside |= {row["id"] for row in context.list("poi") if names & {row.get("cityname"), row.get("adname")}}
    return inside
