"""Points of interest in a region or around a point (place/v3)."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import metres
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import invalid
from soundstage.kernels.baidu_maps.rules.request import of_row, point
from soundstage.kernels.engines.digits import bounded_integer
from soundstage.kernels.engines.places import venues
from soundstage.kernels.engines.places.atlas import atlas_of
from soundstage.kernels.engines.places.venues import Candidate, Shelf

_PAGE = 10
_EVERYWHERE = "全国"
_USUAL_RADIUS = 1000
_WIDEST_RADIUS = 10**9  # metres; more than the Earth has


def in_region(context: AppContext, query: str, tag: str, region: str) -> list[Object]:
    """Return the first ten places for a query (a comma means or) in a city or district, or in the whole country."""
    result = venues.by_words(_SHELF.candidates(context), _groups(query))
    if region not in ("", _EVERYWHERE):
        inside = _in_region(context, region)
        result = [candidate for candidate in result if candidate.key in inside]
    return _rows(context, result, tag)


def around(context: AppContext, query: str, tag: str, location: str, radius: str) -> list[Object]:
    """Return the first ten places within a radius, nearest first; places of the library include the distance.

    Raises:
        Refused: The point or radius is invalid.
    """
    centre = point(location)
    wide = _USUAL_RADIUS if radius == "" else bounded_integer(radius, _WIDEST_RADIUS) if radius.isdecimal() else 0
    if wide < 1:
        raise invalid()
    near = venues.around(venues.by_words(_SHELF.candidates(context), _groups(query)), centre, wide)
    rows = _rows(context, [candidate for candidate, _ in near], tag)
    if context.source("poi") == "own":
        return rows
    venues_by_id = atlas_of(context).by_baidu_uid
    for row in rows:
        if row["uid"] in venues_by_id:
            info = row["detail_info"]
            away = round(metres(centre, venues_by_id[row["uid"]].point))
            row["detail_info"] = {"classified_poi_tag": info["classified_poi_tag"], "distance": away, **info}
    return rows


def shown(row: Object) -> Object:
    """Return a place with the id before the details, as in responses."""
    return {name: value for name, value in row.items() if name != "detail_info"} | (
        {"detail_info": row["detail_info"]} if "detail_info" in row else {}
    )


def _groups(query: str) -> list[list[str]]:
    return [word.split() for word in query.split(",") if word.split()]


def _rows(context: AppContext, results: list[Candidate], tag: str) -> list[Object]:
    """Return the first page of candidates that have one of the categories in `tag`."""
    wanted = [one.strip() for one in tag.split(",") if one.strip()]
    rows: list[Object] = []
    for candidate in results:
        row = context.get("poi", candidate.key)
        kinds = _kinds(row) if row is not None else ""
        if row is not None and (not wanted or any(one in kinds for one in wanted)):
            rows.append(shown(row))
            if len(rows) == _PAGE:
                break
    return rows


def _kinds(row: Object) -> str:
    info = row.get("detail_info") or {}
    return " ".join(str(info.get(name, "")) for name in ("tag", "classified_poi_tag", "type"))


def _of_row(row: Object) -> Candidate:
    name = str(row.get("name", "")).casefold()
    return Candidate(row["uid"], of_row(row.get("location")), name, f"{name} {_kinds(row)}".casefold())


_SHELF = Shelf("baidu_maps", "poi", "baidu_uid", lambda venue: str(venue.row["baidu_tag"]), _of_row)


def _in_region(context: AppContext, region: str) -> set[str]:
    """Return the ids of the places in the city or district with this name or code (Baidu's or the adcode)."""
    atlas = atlas_of(context)
    coded = {str(area.baidu_code): area for area in atlas.areas.values() if area.baidu_code}
    area = coded.get(region) or atlas.area_named(region)
    inside = _SHELF.in_area(context, area.adcode if area else region)
    if context.source("poi") != "library":
        names = {region, area.zh if area else region}
        rows = context.list("poi")
        inside |= {row["uid"] for row in rows if names & {row.get("city"), row.get("area"), row.get("province")}}
    return inside
