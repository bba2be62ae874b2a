"""The index of a set of tools: returns the best tools for a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from soundstage.contexts.engine.lexical import Scores
from soundstage.contexts.engine.words import identifiers
from soundstage.gateway.search.app_mentions import AppNames
from soundstage.gateway.search.documents import Document
from soundstage.gateway.search.fusion import levelled
from soundstage.gateway.search.index_cache import IndexCache
from soundstage.gateway.search.lexical import LexicalIndex
from soundstage.gateway.search.phrases import PhraseIndex
from soundstage.gateway.search.query_terms import query_terms

# For fewer documents, indexing is faster than opening the file, and the sets of apps that clients choose would fill a folder.
_MIN_CACHED_SIZE = 200

# Character similarity helps with inflected forms, and misleads where words only look alike.
_GRAM_SHARE = 0.5

# A common phrase that matches literally says more than its separate words.
_PHRASE_SHARE = 0.25

# Reading tools answer questions; changing tools carry out instructions.
_INTENT_SHARE = 0.5

# A query that contains a tool's exact name means that tool: this outweighs any similarity.
_NAMED = 100.0

# A query that names an app means its tools, unless another app's match far better: a mail about PayPal is looked for in Gmail.
_APP_NAMED = 4.0


@dataclass(frozen=True, slots=True)
class Hit:
    """A found tool: its position in the index, and its score, which is comparable within one result only."""

    position: int
    score: float


class ToolIndex:
    """An index over documents, read from and stored in `cache`.

    `vectors` are those of `dense.tool_vectors`; without them ranking uses words alone.
    """

    def __init__(self, documents: Sequence[Document], cache: IndexCache | None = None) -> None:
        self.documents = tuple(documents)
        self.vectors: Scores | None = None
        self._apps = AppNames(self.documents)
        reads = np.array([-1 if d.reads is None else d.reads for d in self.documents])
        self._by_reading = {known: np.flatnonzero(reads == known) for known in (False, True)}
        cache = cache if len(self.documents) >= _MIN_CACHED_SIZE else None
        parts = None if cache is None else cache.read(self.documents)
        if parts is None:
            self._phrases, self._lexical = PhraseIndex.made(self.documents), LexicalIndex.made(self.documents)
            if cache is not None:
                cache.write(self.documents, {**self._phrases.parts(), **self._lexical.parts()})
        else:
            self._phrases = PhraseIndex.of(parts, len(self.documents))
            self._lexical = LexicalIndex.of(parts, len(self.documents))
        self._named: dict[str, list[int]] = {}
        for position, document in enumerate(self.documents):
            for name in identifiers(document.name):
                self._named.setdefault(name, []).append(position)

    def search(
        self, query: str, k: int, *, vector: Scores | None = None, keep: Sequence[bool] | None = None
    ) -> list[Hit]:
        """Return the `k` best tools for a query, best first, among those that `keep` (one boolean for each document) admits.

        `vector` is the query's vector by the same model. Without it, only tools that share a word or a part of a word with the
        query are found.
        """
        if not self.documents:
            return []
        mentioned, rest = self._apps.read(query)
        terms = query_terms(rest)
        by_words = self._lexical.word_scores(terms.stems) + np.float32(_PHRASE_SHARE) * self._phrases.scores(rest)
        by_grams = self._lexical.gram_scores(terms.words_as_spelled)
        scores = levelled(by_words) + np.float32(_GRAM_SHARE) * levelled(by_grams)
        if vector is not None and self.vectors is not None:
            # Row by row: a product of the whole matrix would wake a thread for every core, which costs more than it saves.
            scores = levelled(scores) + levelled(np.vecdot(self.vectors, vector))
        else:
            unmatched = (by_words <= 0) & (by_grams <= 0)
            unmatched[mentioned] = False
            scores[unmatched] = -np.inf
        if terms.is_question is not None:
            scores[self._by_reading[terms.is_question]] += np.float32(_INTENT_SHARE)
        scores[mentioned] += np.float32(_APP_NAMED)
        scores[self._named_in(query)] += np.float32(_NAMED)
        if keep is not None:
            scores[~np.asarray(keep, bool)] = -np.inf
        return _best(scores, k)

    def _named_in(self, query: str) -> list[int]:
        """Return the tools whose name occurs in a query, with or without the app's name before it."""
        named = self._named
        called = (named.get(name, []) or named.get(name.partition("_")[2], []) for name in identifiers(query))
        return [position for positions in called for position in positions]


def _best(scores: Scores, k: int) -> list[Hit]:
    k = min(k, len(scores))
    shortlist = np.argpartition(-scores, k - 1)[:k]
    # Equal scores are returned in the order of the catalogue, on every machine.
    limit = scores[shortlist].min()
    shortlist = np.flatnonzero(scores >= limit)
    ordered = shortlist[np.lexsort((shortlist, -scores[shortlist]))][:k]
    return [Hit(int(i), float(scores[i])) for i in ordered if np.isfinite(scores[i])]
