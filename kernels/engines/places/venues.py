"""Finding venues: by words, in a city or round a point.

What is searched are `Candidate`s, of the library or of rows that a session was given, so that both are found by the same rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, metres
from soundstage.contexts.engine.library import Library
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.places.addresses import chinese_address, english_address, spot_of
from soundstage.kernels.engines.places.atlas import Atlas, Venue, atlas_of


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something to find: its key, its `name`, all `text` that words may be found in, and how well known it is (0: no rank)."""

    key: str
    point: Point | None
    name: str
    text: str
    known: int = 0


def by_words(candidates: Iterable[Candidate], groups: Sequence[Sequence[str]]) -> list[Candidate]:
    """The candidates with all words of one of the groups; of those that have a rank, whose name says it first, then the well
    known ones. The rest keeps its order."""
    asked = [[word.casefold() for word in words] for words in groups]
    found = [c for c in candidates if any(all(word in c.text for word in words) for words in asked)]
    return sorted(found, key=lambda c: (_rank(c, asked), -c.known))


def _rank(candidate: Candidate, groups: Sequence[Sequence[str]]) -> int:
    """0 the very name, 1 in its name, 2 elsewhere."""
    if not candidate.known:
        return 0
    name = candidate.name
    if any(name == " ".join(words) for words in groups):
        return 0
    return 1 if any(all(word in name for word in words) for words in groups) else 2


def around(candidates: Iterable[Candidate], centre: Point, radius: float) -> list[tuple[Candidate, float]]:
    """The candidates within a radius, the nearest first, with how far each is."""
    away = [(c, metres(centre, c.point)) for c in candidates if c.point is not None]
    return sorted((pair for pair in away if pair[1] <= radius), key=lambda pair: pair[1])


def preferred(candidates: Iterable[Candidate], fits: Callable[[Candidate], bool]) -> list[Candidate]:
    """Those that fit before those that do not."""
    return sorted(candidates, key=lambda candidate: not fits(candidate))


def candidate(atlas: Atlas, venue: Venue, key: str, kinds: str) -> Candidate:
    """A venue of the library as something to find, under the id and the kinds that an app gives it."""
    spot = spot_of(atlas, venue)
    address = f"{chinese_address(atlas, spot)} {english_address(atlas, spot)}"
    name = venue.zh if not venue.alias else f"{venue.zh} {venue.alias}"
    text = f"{name} {venue.en} {kinds} {address}".casefold()
    known = 1 + int(venue.row.get("comments", 0)) + 10 * int(venue.row.get("rating", 0))
    return Candidate(key, venue.point, venue.zh.casefold(), text, known)


@dataclass(frozen=True, slots=True)
class Shelf:
    """How one app's venues are found: its `entity`, the column of the library that holds its ids, what it files a venue of the
    library under, and what a row of a session's own is to be found by."""

    app: str
    entity: str
    id_column: str
    kinds: Callable[[Venue], str]
    of_row: Callable[[Object], Candidate]

    def candidates(self, context: AppContext) -> list[Candidate]:
        """All that may be found: the session's own rows first, then the library's that they do not stand for."""
        source = context.source(self.entity)
        told = context.library.kept(f"{self.app}.venues", self._index) if source != "own" else {}
        rows = context.list(self.entity) if source != "library" else []
        own = [found for row in rows if (found := self.of_row(row)).key not in told]
        return [*own, *told.values()]

    def in_area(self, context: AppContext, asked: str) -> set[str]:
        """The ids of the library's venues in an area that a name or code says."""
        if context.source(self.entity) == "own":
            return set()
        atlas = atlas_of(context)
        inside = {code for code in {v.adcode for v in atlas.venues.values()} if atlas.lies_in(code, asked)}
        return {v.row[self.id_column] for v in atlas.venues.values() if v.adcode in inside}

    def _index(self, library: Library) -> dict[str, Candidate]:
        atlas = library.kept("places.atlas", Atlas)
        found = (candidate(atlas, v, v.row[self.id_column], self.kinds(v)) for v in atlas.venues.values())
        return {one.key: one for one in found}
