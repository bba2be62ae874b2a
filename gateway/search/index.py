"""The index of a set of tools: asked with a query, it answers with the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from soundstage.contexts.engine.lexical import Scores
from soundstage.contexts.engine.words import identifiers
from soundstage.gateway.search.asked import asked
from soundstage.gateway.search.called import AppNames
from soundstage.gateway.search.documents import Document
from soundstage.gateway.search.fusion import levelled
from soundstage.gateway.search.kept import KeptIndexes
from soundstage.gateway.search.lexical import LexicalIndex
from soundstage.gateway.search.phrases import PhraseIndex

# Fewer documents are read anew sooner than the file of them is opened and the sets of apps that clients choose fill a folder.
_WORTH_KEEPING = 200

# Likeness of characters helps where words have other forms, and misleads where they only look alike.
_GRAM_SHARE = 0.5

# A phrase that people use, word for word, says more than its words do one by one.
_PHRASE_SHARE = 0.25

# A question is answered by what reads, an order by what changes.
_DEED_SHARE = 0.5

# Who writes a tool's very name means that tool: more than any likeness adds up to.
_NAMED = 100.0

# Who names an app means its tools, unless another's does far better what is asked: a mail about PayPal is looked for in Gmail.
_APP_NAMED = 4.0


@dataclass(frozen=True, slots=True)
class Hit:
    """A found tool: its place in the index, and its score, which compares within one answer only."""

    position: int
    score: float


class ToolIndex:
    """An index over documents, which is taken from the `kept` ones and kept there. `vectors` are those of `dense.tool_vectors`;
    without them ranking is by words alone.
    """

    def __init__(self, documents: Sequence[Document], kept: KeptIndexes | None = None) -> None:
        self.documents = tuple(documents)
        self.vectors: Scores | None = None
        self._apps = AppNames(self.documents)
        reads = np.array([-1 if d.reads is None else d.reads for d in self.documents])
        self._deeds = {known: np.flatnonzero(reads == known) for known in (False, True)}
        kept = kept if len(self.documents) >= _WORTH_KEEPING else None
        parts = None if kept is None else kept.read(self.documents)
        if parts is None:
            self._phrases, self._lexical = PhraseIndex.made(self.documents), LexicalIndex.made(self.documents)
            if kept is not None:
                kept.write(self.documents, {**self._phrases.parts(), **self._lexical.parts()})
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
        """The `k` best tools for a query, the best first, of those that `keep` (one truth for each document) lets through.

        `vector` is the query's by the same model. Without one only tools that share a word with the query, or a part of
        one, are found.
        """
        if not self.documents:
            return []
        theirs, rest = self._apps.read(query)
        wanted = asked(rest)
        by_words = self._lexical.word_scores(wanted.stems) + np.float32(_PHRASE_SHARE) * self._phrases.scores(rest)
        by_grams = self._lexical.gram_scores(wanted.spelled)
        scores = levelled(by_words) + np.float32(_GRAM_SHARE) * levelled(by_grams)
        if vector is not None and self.vectors is not None:
            # Row by row: a product of the whole matrix would wake a thread for every core, which costs more than it saves.
            scores = levelled(scores) + levelled(np.vecdot(self.vectors, vector))
        else:
            told_nothing = (by_words <= 0) & (by_grams <= 0)
            told_nothing[theirs] = False
            scores[told_nothing] = -np.inf
        if wanted.to_know is not None:
            scores[self._deeds[wanted.to_know]] += np.float32(_DEED_SHARE)
        scores[theirs] += np.float32(_APP_NAMED)
        scores[self._called(query)] += np.float32(_NAMED)
        if keep is not None:
            scores[~np.asarray(keep, bool)] = -np.inf
        return _best(scores, k)

    def _called(self, query: str) -> list[int]:
        """The tools that a query calls by their name, with or without their app before it."""
        named = self._named
        called = (named.get(name, []) or named.get(name.partition("_")[2], []) for name in identifiers(query))
        return [position for positions in called for position in positions]


def _best(scores: Scores, k: int) -> list[Hit]:
    k = min(k, len(scores))
    shortlist = np.argpartition(-scores, k - 1)[:k]
    # Equal scores come in the order of the catalogue, on every machine.
    limit = scores[shortlist].min()
    shortlist = np.flatnonzero(scores >= limit)
    ordered = shortlist[np.lexsort((shortlist, -scores[shortlist]))][:k]
    return [Hit(int(i), float(scores[i])) for i in ordered if np.isfinite(scores[i])]
