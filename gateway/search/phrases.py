"""Phrase matching: aliases of tools that occur literally in a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soundstage.contexts.engine.lexical import Postings, Scores
from soundstage.contexts.engine.words import pieces, stem
from soundstage.gateway.search.documents import Document
from soundstage.gateway.search.index_cache import Parts, packed, postings_of, postings_parts, unpacked
from soundstage.gateway.search.lexicon import plain

_LONGEST = 8


class PhraseIndex:
    """The aliases of documents as phrases. Function words count in them, as in `who am I`, `get me out` or `看不到`."""

    def __init__(self, phrases: Sequence[str], postings: Postings, count: int) -> None:
        self._phrases = {phrase: place for place, phrase in enumerate(phrases)}
        self._postings = postings
        self._count = count
        self._sizes = sorted({phrase.count(" ") + 1 for phrase in phrases})

    @staticmethod
    def made(documents: Sequence[Document]) -> PhraseIndex:
        """Build the index of documents. The fewer documents have a phrase, the higher its weight."""
        positions: dict[str, dict[int, None]] = {}
        for position, document in enumerate(documents):
            for alias in document.aliases:
                stems = _read(alias)
                if 2 <= len(stems) <= _LONGEST:
                    positions.setdefault(" ".join(stems), {})[position] = None
        sizes = np.array([len(here) for here in positions.values()], np.int64)
        every = np.array([position for here in positions.values() for position in here], np.int32)
        weights = np.repeat(np.log(1 + len(documents) / np.maximum(sizes, 1)), sizes).astype(np.float32)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return PhraseIndex(list(positions), Postings(offsets, every, weights), len(documents))

    @staticmethod
    def of(parts: Parts, count: int) -> PhraseIndex:
        """Restore an index from its stored parts."""
        return PhraseIndex(unpacked(parts["phrases"]), postings_of("phrases", parts), count)

    def parts(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the index for storage."""
        return {"phrases": packed(self._phrases), **postings_parts("phrases", self._postings)}

    def scores(self, query: str) -> Scores:
        """Return the weighted number of phrases of each document in a query."""
        stems = _read(query)
        phrases = {" ".join(stems[i : i + size]) for size in self._sizes for i in range(len(stems) - size + 1)}
        here = sorted(self._phrases[phrase] for phrase in phrases if phrase in self._phrases)
        return self._postings.scores(((place, 1.0) for place in here), self._count)


def _read(text: str) -> list[str]:
    return [stem(piece) for piece in pieces(plain(text))]
