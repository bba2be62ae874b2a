"""Phrase matching: aliases of tools that occur literally in a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soundstage.contexts.engine.lexical import Postings, Scores
from soundstage.contexts.engine.words import pieces, stem
from soundstage.gateway.search.documents import Document
from soundstage.gateway.search.kept import Parts, packed, postings_of, postings_parts, unpacked
from soundstage.gateway.search.lexicon import plain

_LONGEST = 8


class PhraseIndex:
    """The aliases of documents as phrases. Function words count in them: who am I, get me out, 看不到."""

    def __init__(self, phrases: Sequence[str], found: Postings, count: int) -> None:
        self._phrases = {phrase: place for place, phrase in enumerate(phrases)}
        self._postings = found
        self._count = count
        self._sizes = sorted({phrase.count(" ") + 1 for phrase in phrases})

    @staticmethod
    def made(documents: Sequence[Document]) -> PhraseIndex:
        """Build the index of documents. The fewer documents have a phrase, the higher its weight."""
        found: dict[str, dict[int, None]] = {}
        for position, document in enumerate(documents):
            for alias in document.aliases:
                said = _read(alias)
                if 2 <= len(said) <= _LONGEST:
                    found.setdefault(" ".join(said), {})[position] = None
        sizes = np.array([len(here) for here in found.values()], np.int64)
        every = np.array([position for here in found.values() for position in here], np.int32)
        weights = np.repeat(np.log(1 + len(documents) / np.maximum(sizes, 1)), sizes).astype(np.float32)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return PhraseIndex(list(found), Postings(offsets, every, weights), len(documents))

    @staticmethod
    def of(parts: Parts, count: int) -> PhraseIndex:
        """Restore an index from its stored parts."""
        return PhraseIndex(unpacked(parts["phrases"]), postings_of("phrases", parts), count)

    def parts(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the index for storage."""
        return {"phrases": packed(self._phrases), **postings_parts("phrases", self._postings)}

    def scores(self, query: str) -> Scores:
        """Return the weighted number of phrases of each document in a query."""
        said = _read(query)
        phrases = {" ".join(said[i : i + size]) for size in self._sizes for i in range(len(said) - size + 1)}
        here = sorted(self._phrases[phrase] for phrase in phrases if phrase in self._phrases)
        return self._postings.scores(((place, 1.0) for place in here), self._count)


def _read(text: str) -> list[str]:
    return [stem(piece) for piece in pieces(plain(text))]
