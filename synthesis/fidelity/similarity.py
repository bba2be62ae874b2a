"""Measure the similarity of two texts with the four metrics that the field uses for replies.

All four use the same tokens: case-sensitive words and single Chinese, Japanese or Korean characters, since those scripts have
no spaces between words; punctuation is dropped. The libraries are part of the extra `fidelity`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from nltk.translate.meteor_score import single_meteor_score  # type: ignore[import-untyped]
from sacrebleu.metrics.bleu import BLEU
from sklearn.feature_extraction.text import TfidfVectorizer  # type: ignore[import-untyped]

from soundstage.synthesis.fidelity.rouge import rouge_l, tokens


class Similarity(NamedTuple):
    """Likeness by each measure, from 0 to 1."""

    tfidf: float
    rouge_l: float
    bleu: float
    meteor: float


def similarities(pairs: Sequence[tuple[str, str]]) -> list[Similarity]:
    """The likeness of each (recorded, ours). How rare a word is (TF-IDF) is counted over all texts of all pairs.

    Pairs of equal tokens count 1 in every measure; METEOR's formula alone would give short ones less.
    """
    words = [(tokens(recorded), tokens(ours)) for recorded, ours in pairs]
    cosines = _cosines(words)
    return [_similarity(cosine, *pair) for cosine, pair in zip(cosines, words, strict=True)]


def _similarity(cosine: float, recorded: list[str], ours: list[str]) -> Similarity:
    if recorded == ours:
        return Similarity(1.0, 1.0, 1.0, 1.0)
    if not recorded or not ours:
        return Similarity(0.0, 0.0, 0.0, 0.0)
    bleu = _BLEU.sentence_score(" ".join(ours), [" ".join(recorded)]).score / 100
    meteor = single_meteor_score(recorded, ours, preprocess=str, wordnet=_NoSynonyms())
    return Similarity(cosine, rouge_l(recorded, ours), bleu, float(meteor))


def _cosines(words: Sequence[tuple[list[str], list[str]]]) -> list[float]:
    if not any(recorded or ours for recorded, ours in words):
        return [0.0] * len(words)
    vectors = TfidfVectorizer(analyzer=list).fit_transform([text for pair in words for text in pair])
    return [float(vectors[i].multiply(vectors[i + 1]).sum()) for i in range(0, 2 * len(words), 2)]


class _NoSynonyms:
    """Replaces METEOR's WordNet synonyms, which need a download: only equal words and equal stems match."""

    def synsets(self, word: str) -> list[Any]:
        return []


_BLEU = BLEU(effective_order=True, tokenize="none")
