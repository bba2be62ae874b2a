"""Ranking by words: BM25F over a tool's fields, and beside it likeness of character 4-grams, which forgives word forms.

Postings hold finished weights, made once per index with numpy; a query only adds up the postings of its words. BM25F is
that of Robertson, Zaragoza, Taylor, "Simple BM25 Extension to Multiple Weighted Fields" (2004): term frequencies are
weighted and normalised by field, added up, and saturate together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from soundstage.gateway.search.asked import told
from soundstage.gateway.search.documents import Document
from soundstage.gateway.search.text import is_cjk, stem

Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Field:
    """How a field counts: the weight of a word in it, and how far its length is held against it (0 to 1)."""

    text: Callable[[Document], str]
    weight: float
    length: float
    grams: bool  # whether its words count for the likeness of characters too


_FIELDS = (
    _Field(lambda d: d.name, 2.0, 0.7, True),
    _Field(lambda d: d.server, 1.4, 0.5, True),
    _Field(lambda d: d.description, 1.0, 0.8, True),
    _Field(lambda d: " ".join(d.parameters), 0.7, 0.2, True),
    _Field(lambda d: d.parameter_texts, 0.3, 0.4, False),
    _Field(lambda d: d.server_description, 0.4, 0.8, False),
    _Field(lambda d: "\n".join(d.aliases), 1.0, 0.5, True),
)
# Tools are short: a word that is there once says nearly all that a repeated one would.
_SATURATION = 0.3
_GRAM = 4
_FAMILIAR = 0.4


@dataclass(frozen=True, slots=True)
class _Postings:
    """For each term the documents that have it, and its weight there."""

    offsets: NDArray[np.int64]
    documents: NDArray[np.int32]
    weights: Scores

    def scores(self, query: Iterable[tuple[int, float]], count: int) -> Scores:
        total = np.zeros(count, np.float32)
        for term, times in query:
            here = slice(self.offsets[term], self.offsets[term + 1])
            total[self.documents[here]] += self.weights[here] * np.float32(times)
        return total


class LexicalIndex:
    """The words of some documents, ready to be asked."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._count = len(documents)
        vocabulary: dict[str, int] = {}
        fields = [_occurrences([f.text(d) for d in documents], vocabulary) for f in _FIELDS]
        self._stems: dict[str, int] = {}
        stem_of = np.array([self._stems.setdefault(stem(w), len(self._stems)) for w in vocabulary], np.int64)
        self._words = self._weigh_words([(d, stem_of[w]) for d, w in fields])
        self._grams: dict[str, int] = {}
        self._likeness, self._gram_weight = self._weigh_grams(
            vocabulary, [occurrences for field, occurrences in zip(_FIELDS, fields, strict=True) if field.grams]
        )

    def word_scores(self, query: Mapping[str, float]) -> Scores:
        """BM25F of every document for stems and their weights; 0 for documents that have none of them."""
        known = ((self._stems[s], weight) for s, weight in query.items() if s in self._stems)
        return self._words.scores(known, self._count)

    def gram_scores(self, query: Sequence[str]) -> Scores:
        """TF-IDF cosine of every document with the query's character 4-grams, up to a factor of the query's own."""
        counts = Counter(chain.from_iterable(grams for word in query if self._is_familiar(grams := _grams(word))))
        known = [(self._grams[g], 1 + np.log(n)) for g, n in counts.items() if g in self._grams]
        return self._likeness.scores([(g, float(n * self._gram_weight[g])) for g, n in known], self._count)

    def _is_familiar(self, grams: Sequence[str]) -> bool:
        """Whether enough of a word is known to take it for another form of one: weather is none of whether."""
        return sum(gram in self._grams for gram in grams) >= _FAMILIAR * len(grams)

    def _weigh_words(self, fields: list[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> _Postings:
        keys, weights = [], []
        for field, (documents, terms) in zip(_FIELDS, fields, strict=True):
            lengths = np.bincount(documents, minlength=self._count)
            relative = lengths / max(lengths.mean() if self._count else 0.0, 1e-9)
            keys.append(terms * self._count + documents)
            weights.append((field.weight / (1 - field.length + field.length * relative))[documents])
        terms, documents, frequency = _summed(np.concatenate(keys), np.concatenate(weights), self._count)
        having = np.bincount(terms, minlength=len(self._stems))
        rarity = np.log(1 + (self._count - having + 0.5) / (having + 0.5))
        return _postings(terms, documents, rarity[terms] * frequency / (_SATURATION + frequency), len(self._stems))

    def _weigh_grams(
        self, vocabulary: dict[str, int], fields: list[tuple[NDArray[np.int64], NDArray[np.int64]]]
    ) -> tuple[_Postings, NDArray[np.float64]]:
        of_words = [
            np.array([self._grams.setdefault(g, len(self._grams)) for g in _grams(word)], np.int64)
            for word in vocabulary
        ]
        sizes = np.array([len(grams) for grams in of_words], np.int64)
        starts = np.cumsum(sizes) - sizes
        every = np.concatenate([np.empty(0, np.int64), *of_words])
        keys = []
        for documents, terms in fields:
            size = sizes[terms]
            inside = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
            keys.append(every[np.repeat(starts[terms], size) + inside] * self._count + np.repeat(documents, size))
        joined = np.concatenate(keys)
        grams, documents, frequency = _summed(joined, np.ones(len(joined)), self._count)
        having = np.bincount(grams, minlength=len(self._grams))
        rarity = np.log((1 + self._count) / (1 + having)) + 1
        weights = (1 + np.log(frequency)) * rarity[grams]
        lengths = np.sqrt(np.bincount(documents, weights=weights**2, minlength=self._count))
        return _postings(grams, documents, weights / lengths[documents], len(self._grams)), rarity


def _occurrences(texts: Iterable[str], vocabulary: dict[str, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every word of every text: the text's number and the word's, which joins the vocabulary where it is new."""
    found: list[int] = []
    sizes: list[int] = []
    for text in texts:
        here = [vocabulary.setdefault(word, len(vocabulary)) for word in told(text)]
        found += here
        sizes.append(len(here))
    return np.repeat(np.arange(len(sizes), dtype=np.int64), sizes), np.array(found, np.int64)


def _summed(
    keys: NDArray[np.int64], weights: NDArray[np.float64], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Terms and documents of keys `term * count + document`, in order, with the sum of each pair's weights."""
    unique, place = np.unique(keys, return_inverse=True)
    terms, documents = np.divmod(unique, max(count, 1))
    return terms, documents, np.bincount(place, weights=weights, minlength=len(unique)).astype(np.float64)


def _postings(
    terms: NDArray[np.int64], documents: NDArray[np.int64], weights: NDArray[np.float64], count: int
) -> _Postings:
    offsets = np.searchsorted(terms, np.arange(count + 1))
    return _Postings(offsets, documents.astype(np.int32), weights.astype(np.float32))


def _grams(word: str) -> list[str]:
    """The 4-grams of a word with its ends marked; a short word is one gram. A CJK word is a pair of characters already."""
    if is_cjk(word):
        return []
    marked = f" {word} "
    return [marked[i : i + _GRAM] for i in range(max(len(marked) - _GRAM, 0) + 1)]
