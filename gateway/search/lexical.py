"""Rank tools by words: BM25F over a tool's fields, and similarity of character 4-grams, which tolerates inflected forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soundstage.contexts.engine.lexical import (
    FieldWeight,
    Occurrences,
    Postings,
    Scores,
    WordIndex,
    occurrences,
    postings,
    summed,
)
from soundstage.contexts.engine.words import is_cjk
from soundstage.gateway.search.documents import Document
from soundstage.gateway.search.index_cache import Parts, packed, postings_of, postings_parts, unpacked
from soundstage.gateway.search.query_terms import tool_words


@dataclass(frozen=True, slots=True)
class _Field:
    text: Callable[[Document], str]
    counts: FieldWeight
    grams: bool  # whether its words also count for character similarity


_FIELDS = (
    _Field(lambda d: d.name, FieldWeight(2.0, 0.7), True),
    _Field(lambda d: d.server, FieldWeight(1.4, 0.5), True),
    _Field(lambda d: d.description, FieldWeight(1.0, 0.8), True),
    _Field(lambda d: " ".join(d.parameters), FieldWeight(0.7, 0.2), True),
    _Field(lambda d: d.parameter_texts, FieldWeight(0.3, 0.4), False),
    _Field(lambda d: d.server_description, FieldWeight(0.4, 0.8), False),
    _Field(lambda d: "\n".join(d.aliases), FieldWeight(1.0, 0.5), True),
)
# Tool texts are short: a repeated word adds little to its first occurrence.
_SATURATION = 0.3
_GRAM = 4
_FAMILIAR = 0.4


class _Words(WordIndex):
    """A word index that can be stored."""

    @property
    def count(self) -> int:
        return self._count

    @classmethod
    def of(cls, parts: Parts, count: int) -> _Words:
        words = cls.__new__(cls)
        words._count = count
        words._stems = {stem: place for place, stem in enumerate(unpacked(parts["words"]))}
        words._rarity = parts["words.rarity"]
        words._postings = postings_of("words", parts)
        return words

    def parts(self) -> dict[str, NDArray[Any]]:
        return {"words": packed(self._stems), "words.rarity": self._rarity, **postings_parts("words", self._postings)}


class LexicalIndex:
    """A searchable index over the words of documents."""

    def __init__(
        self, words: _Words, grams: Sequence[str], likeness: Postings, gram_weight: NDArray[np.float64]
    ) -> None:
        self._words = words
        self._grams = {gram: place for place, gram in enumerate(grams)}
        self._likeness, self._gram_weight = likeness, gram_weight
        self._count = words.count

    @staticmethod
    def made(documents: Sequence[Document]) -> LexicalIndex:
        """Build the index of documents."""
        vocabulary: dict[str, int] = {}
        fields = [occurrences([f.text(d) for d in documents], vocabulary, tool_words) for f in _FIELDS]
        counted = [(field.counts, found_terms) for field, found_terms in zip(_FIELDS, fields, strict=True)]
        words = _Words(counted, vocabulary, len(documents), _SATURATION)
        spelled = [found_terms for field, found_terms in zip(_FIELDS, fields, strict=True) if field.grams]
        return LexicalIndex(words, *_weighed_grams(vocabulary, spelled, len(documents)))

    @staticmethod
    def of(parts: Parts, count: int) -> LexicalIndex:
        """Restore an index from its stored parts."""
        words = _Words.of(parts, count)
        return LexicalIndex(words, unpacked(parts["grams"]), postings_of("grams", parts), parts["grams.rarity"])

    def parts(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the index for storage."""
        grams: dict[str, NDArray[Any]] = {"grams": packed(self._grams), "grams.rarity": self._gram_weight}
        return {**self._words.parts(), **grams, **postings_parts("grams", self._likeness)}

    def word_scores(self, query: Mapping[str, float]) -> Scores:
        """Return the BM25F score of every document for weighted stems; 0 for documents without any of them."""
        return self._words.scores(query)

    def gram_scores(self, query: Sequence[str]) -> Scores:
        """Return the TF-IDF cosine of every document with the query's character 4-grams, except for the query's norm."""
        counts = Counter(chain.from_iterable(grams for word in query if self._is_familiar(grams := _grams(word))))
        known = [(self._grams[g], 1 + np.log(n)) for g, n in counts.items() if g in self._grams]
        return self._likeness.scores([(g, float(n * self._gram_weight[g])) for g, n in known], self._count)

    def _is_familiar(self, grams: Sequence[str]) -> bool:
        """Whether enough of a word's grams are known to accept it as an inflected form: whether is not a form of weather."""
        return sum(gram in self._grams for gram in grams) >= _FAMILIAR * len(grams)


def _weighed_grams(
    vocabulary: Iterable[str], fields: list[Occurrences], count: int
) -> tuple[list[str], Postings, NDArray[np.float64]]:
    """Return the 4-grams of all words, their documents with weights, and the rarity of each."""
    known: dict[str, int] = {}
    of_words = [np.array([known.setdefault(g, len(known)) for g in _grams(word)], np.int64) for word in vocabulary]
    sizes = np.array([len(grams) for grams in of_words], np.int64)
    starts = np.cumsum(sizes) - sizes
    every = np.concatenate([np.empty(0, np.int64), *of_words])
    keys = []
    for found_terms in fields:
        size = sizes[found_terms.terms]
        inside = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        grams_here = every[np.repeat(starts[found_terms.terms], size) + inside]
        keys.append(grams_here * count + np.repeat(found_terms.documents, size))
    joined = np.concatenate(keys)
    grams, documents, frequency = summed(joined, np.ones(len(joined)), count)
    having = np.bincount(grams, minlength=len(known))
    rarity = np.log((1 + count) / (1 + having)) + 1
    weights = (1 + np.log(frequency)) * rarity[grams]
    lengths = np.sqrt(np.bincount(documents, weights=weights**2, minlength=count))
    return list(known), postings(grams, documents, weights / lengths[documents], len(known)), rarity


def _grams(word: str) -> list[str]:
    """Return the 4-grams of a word with its ends marked; a short word is one gram. A CJK word is already a pair of characters."""
    if is_cjk(word):
        return []
    marked = f" {word} "
    return [marked[i : i + _GRAM] for i in range(max(len(marked) - _GRAM, 0) + 1)]
