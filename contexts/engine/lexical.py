"""Ranking by words: BM25F over the fields of documents.

Postings contain final weights, computed once per index with numpy; a query only adds up the postings of its words. BM25F
follows Robertson, Zaragoza, Taylor, "Simple BM25 Extension to Multiple Weighted Fields" (2004): term frequencies are weighted
and normalised by field, added up, and saturate together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soundstage.contexts.engine.words import stem

Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class FieldWeight:
    """The weight of a word in a field, and the strength of the field's length normalisation (0 to 1)."""

    weight: float
    length: float


@dataclass(frozen=True, slots=True)
class Occurrences:
    """All words of a field: `documents` contains the numbers of the texts, `terms` those of the words in a vocabulary."""

    documents: NDArray[np.int64]
    terms: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Postings:
    """For each term, the documents that contain it and its weight in each."""

    offsets: NDArray[np.int64]
    documents: NDArray[np.int32]
    weights: Scores

    def scores(self, query: Iterable[tuple[int, float]], count: int) -> Scores:
        """Return the score of each of `count` documents for a query of (term, occurrences)."""
        total = np.zeros(count, np.float32)
        for term, times in query:
            here = slice(self.offsets[term], self.offsets[term + 1])
            total[self.documents[here]] += self.weights[here] * np.float32(times)
        return total


class WordIndex:
    """An index of the stems in the fields of documents.

    `fields` are the same documents' texts, field by field, as `occurrences` reads them with one vocabulary. The smaller
    `saturation` is, the less a repeated word counts.
    """

    def __init__(
        self,
        fields: Sequence[tuple[FieldWeight, Occurrences]],
        vocabulary: Iterable[str],
        count: int,
        saturation: float,
    ) -> None:
        self._count = count
        self._stems: dict[str, int] = {}
        stem_of = np.array([self._stems.setdefault(stem(w), len(self._stems)) for w in vocabulary], np.int64)
        keys, weights = [], []
        for field, in_field in fields:
            lengths = np.bincount(in_field.documents, minlength=count)
            relative = lengths / max(lengths.mean() if count else 0.0, 1e-9)
            keys.append(stem_of[in_field.terms] * count + in_field.documents)
            weights.append((field.weight / (1 - field.length + field.length * relative))[in_field.documents])
        terms, documents, frequency = summed(np.concatenate(keys), np.concatenate(weights), count)
        having = np.bincount(terms, minlength=len(self._stems))
        self._rarity = np.log(1 + (count - having + 0.5) / (having + 0.5))
        weight = self._rarity[terms] * frequency / (saturation + frequency)
        self._postings = postings(terms, documents, weight, len(self._stems))

    def rarity(self, stem: str) -> float | None:
        """Return the weight of a stem, higher the fewer documents contain it; None if no document does."""
        place = self._stems.get(stem)
        return None if place is None else float(self._rarity[place])

    def scores(self, query: Mapping[str, float]) -> Scores:
        """Return the BM25F score of every document for weighted stems; 0 for documents without any of them."""
        known = ((self._stems[s], weight) for s, weight in query.items() if s in self._stems)
        return self._postings.scores(known, self._count)


def occurrences(texts: Iterable[str], vocabulary: dict[str, int], words: Callable[[str], Iterable[str]]) -> Occurrences:
    """Return the words of texts, one text per document; new words are added to the vocabulary."""
    places: list[int] = []
    sizes: list[int] = []
    for text in texts:
        here = [vocabulary.setdefault(word, len(vocabulary)) for word in words(text)]
        places += here
        sizes.append(len(here))
    return Occurrences(np.repeat(np.arange(len(sizes), dtype=np.int64), sizes), np.array(places, np.int64))


def joined(first: Occurrences, count: int, second: Occurrences) -> Occurrences:
    """Return the words of `count` texts and of further texts behind them, read with one vocabulary."""
    return Occurrences(
        np.concatenate([first.documents, second.documents + count]), np.concatenate([first.terms, second.terms])
    )


def reordered(words: Occurrences, order: Sequence[int]) -> Occurrences:
    """Return the words of the texts with the given numbers, in that order; the texts are renumbered from 0."""
    begin = np.searchsorted(words.documents, np.array(order, np.int64))
    end = np.searchsorted(words.documents, np.array(order, np.int64), side="right")
    terms = [words.terms[i:j] for i, j in zip(begin, end, strict=True)]
    return Occurrences(
        np.repeat(np.arange(len(order), dtype=np.int64), end - begin), np.concatenate([*terms, np.empty(0, np.int64)])
    )


def summed(
    keys: NDArray[np.int64], weights: NDArray[np.float64], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return terms and documents of the keys `term * count + document`, in order, with the sum of each pair's weights."""
    unique, place = np.unique(keys, return_inverse=True)
    terms, documents = np.divmod(unique, max(count, 1))
    return terms, documents, np.bincount(place, weights=weights, minlength=len(unique)).astype(np.float64)


def postings(
    terms: NDArray[np.int64], documents: NDArray[np.int64], weights: NDArray[np.float64], count: int
) -> Postings:
    """Build the postings of `count` terms from pairs of a term and a document, sorted by term."""
    offsets = np.searchsorted(terms, np.arange(count + 1))
    return Postings(offsets, documents.astype(np.int32), weights.astype(np.float32))
