"""Text search: places that contain all words of a query, those within the radius first."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, metres
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.places import venues
from soundstage.kernels.engines.places.venues import Candidate, Shelf
from soundstage.kernels.google_maps.rules.geocoding import located

_PAGE = 20
_SAYS_NOTHING = frozenset({"in", "near", "the"})
_USUAL_RADIUS = 50_000
_NEAR = 2_000
"""Distance in metres within which a place counts as near another."""


def by_text(context: AppContext, query: str, middle: Point | None, radius: float | None) -> list[Object]:
    """Return the first twenty places for a query; around a point, those within the radius come first, nearest first.

    If no place contains all words, "… near …" searches around the place that the second half names.
    """
    result = _with_words(context, query)
    what, near, where = query.casefold().partition(" near ")
    if not result and near and context.source("place") != "own":
        there = located(context, where)
        if there is not None:
            middle = Point(there["lng"], there["lat"])
            result = [one for one, _ in venues.around(_with_words(context, what), middle, _NEAR)]
    if middle is not None:
        result.sort(key=lambda one: _rank(one, middle, radius or _USUAL_RADIUS))
    rows = (context.get("place", candidate.key) for candidate in result[:_PAGE])
    return [row for row in rows if row is not None]


def _with_words(context: AppContext, query: str) -> list[Candidate]:
    words = [word for word in re.findall(r"[\w'&-]+", query.casefold()) if word not in _SAYS_NOTHING]
    singular = [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words]
    return venues.by_words(_SHELF.candidates(context), [words, singular])


def _rank(candidate: Candidate, middle: Point, radius: float) -> float:
    away = metres(middle, candidate.point) if candidate.point else radius + 1
    return away if away <= radius else radius + 1


def _of_row(row: Object) -> Candidate:
    at = (row.get("geometry") or {}).get("location")
    kinds = " ".join(row.get("types") or []).replace("_", " ")
    name = str(row.get("name", "")).casefold()
    text = f"{name} {row.get('formatted_address', '')} {' '.join(row.get('types') or [])} {kinds}".casefold()
    return Candidate(row["place_id"], Point(at["lng"], at["lat"]) if at else None, name, text)


def _kinds(types: list[str]) -> str:
    return f"{' '.join(types)} {' '.join(types).replace('_', ' ')}"


_SHELF = Shelf("google_maps", "place", "google_id", lambda venue: _kinds(venue.row["google_types"]), _of_row)
