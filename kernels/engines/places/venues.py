"""Venue search by words, in a city or around a point.

The search works on `Candidate`s, which are made from the library and from a session's rows, so both follow the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, metres
from soundstage.contexts.engine.library import Library
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.places.addresses import chinese_address, english_address, spot_of
from soundstage.kernels.engines.places.atlas import Atlas, Venue, atlas_of


@dataclass(frozen=True, slots=True)
class Candidate:
    """A searchable item: its key, name, all searchable text, and its popularity (0 means unranked)."""

    key: str
    point: Point | None
    name: str
    text: str
    known: int = 0


def by_words(candidates: Iterable[Candidate], groups: Sequence[Sequence[str]]) -> list[Candidate]:
    """Return the candidates that contain all words of one of the groups.

    Ranked candidates are sorted by how well the name matches, then by popularity. Unranked ones keep their order.
    """
    # Each group and each of its words once: agents may send thousands that are the same.
    requested = list(dict.fromkeys(tuple(dict.fromkeys(word.casefold() for word in words)) for words in groups))
    names = {" ".join(words) for words in ([word.casefold() for word in words] for words in groups)}
    results = [c for c in candidates if any(all(word in c.text for word in words) for words in requested)]
    return sorted(results, key=lambda c: (_rank(c, requested, names), -c.known))


def _rank(candidate: Candidate, groups: Sequence[Sequence[str]], names: Collection[str]) -> int:
    """Return 0 for an exact name, 1 for words in the name, 2 for other matches."""
    if not candidate.known:
        return 0
    name = candidate.name
    if name in names:
        return 0
    return 1 if any(all(word in name for word in words) for words in groups) else 2


def around(candidates: Iterable[Candidate], centre: Point, radius: float) -> list[tuple[Candidate, float]]:
    """Return the candidates within a radius and their distances, nearest first."""
    away = [(c, metres(centre, c.point)) for c in candidates if c.point is not None]
    return sorted((pair for pair in away if pair[1] <= radius), key=lambda pair: pair[1])


def preferred(candidates: Iterable[Candidate], fits: Callable[[Candidate], bool]) -> list[Candidate]:
    """Sort the candidates that satisfy `fits` first."""
    return sorted(candidates, key=lambda candidate: not fits(candidate))


def candidate(atlas: Atlas, venue: Venue, key: str, kinds: str) -> Candidate:
    """Return a venue of the library as a candidate with an app's id and categories."""
    spot = spot_of(atlas, venue)
    address = f"{chinese_address(atlas, spot)} {english_address(atlas, spot)}"
    name = venue.zh if not venue.alias else f"{venue.zh} {venue.alias}"
    text = f"{name} {venue.en} {kinds} {address}".casefold()
    known = 1 + int(venue.row.get("comments", 0)) + 10 * int(venue.row.get("rating", 0))
    return Candidate(key, venue.point, venue.zh.casefold(), text, known)


@dataclass(frozen=True, slots=True)
class Shelf:
    """The venue index of an app.

    It states the app's `entity`, the library column with the app's ids, the categories of a library venue, and how a row of the
    session becomes a candidate.
    """

    app: str
    entity: str
    id_column: str
    kinds: Callable[[Venue], str]
    of_row: Callable[[Object], Candidate]

    def candidates(self, context: AppContext) -> list[Candidate]:
        """Return all candidates: the session's rows, then the library's venues; library venues replace rows with the same key."""
        source = context.source(self.entity)
        library_venues = context.library.cached(f"{self.app}.venues", self._index) if source != "own" else {}
        rows = context.list(self.entity) if source != "library" else []
        own = [result for row in rows if (result := self.of_row(row)).key not in library_venues]
        return [*own, *library_venues.values()]

    def in_area(self, context: AppContext, query: str) -> set[str]:
        """Return the ids of the library's venues in the area with this name or code."""
        if context.source(self.entity) == "own":
            return set()
        atlas = atlas_of(context)
        inside = {code for code in {v.adcode for v in atlas.venues.values()} if atlas.lies_in(code, query)}
        return {v.row[self.id_column] for v in atlas.venues.values() if v.adcode in inside}

    def _index(self, library: Library) -> dict[str, Candidate]:
        atlas = library.cached("places.atlas", Atlas)
        result = (candidate(atlas, v, v.row[self.id_column], self.kinds(v)) for v in atlas.venues.values())
        return {one.key: one for one in result}
