"""How alike two texts are, by the four measures in which the field reports the likeness of replies.

All four see the same tokens: words, with case kept, and each Chinese, Japanese or Korean character as one, since those
scripts put no spaces between words; punctuation is left out. The libraries come with the extra `fidelity`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from nltk.translate.meteor_score import single_meteor_score  # type: ignore[import-untyped]
from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]
from sacrebleu.metrics.bleu import BLEU
from sklearn.feature_extraction.text import TfidfVectorizer  # type: ignore[import-untyped]

_EAST_ASIAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_SYMBOLS = "\u2190-\u21ff\u2600-\u27bf\U0001f000-\U0001faff"  # arrows, dingbats, emoji
_TOKEN = re.compile(rf"[{_EAST_ASIAN}{_SYMBOLS}]|[^\W{_EAST_ASIAN}]+")


class Similarity(NamedTuple):
    """Likeness by each measure, from 0 to 1."""

    tfidf: float
    rouge_l: float
    bleu: float
    meteor: float


def tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


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
    rouge = _ROUGE.score(" ".join(recorded), " ".join(ours))["rougeL"].fmeasure
    bleu = _BLEU.sentence_score(" ".join(ours), [" ".join(recorded)]).score / 100
    meteor = single_meteor_score(recorded, ours, preprocess=str, wordnet=_NoSynonyms())
    return Similarity(cosine, float(rouge), bleu, float(meteor))


def _cosines(words: Sequence[tuple[list[str], list[str]]]) -> list[float]:
    if not any(recorded or ours for recorded, ours in words):
        return [0.0] * len(words)
    vectors = TfidfVectorizer(analyzer=list).fit_transform([text for pair in words for text in pair])
    return [float(vectors[i].multiply(vectors[i + 1]).sum()) for i in range(0, 2 * len(words), 2)]


class _Words:
    """Gives ROUGE our tokens; its own way of splitting keeps Latin letters and digits alone."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


class _NoSynonyms:
    """Stands where METEOR looks for synonyms in WordNet, which is a download: equal words and equal stems count."""

    def synsets(self, word: str) -> list[Any]:
        return []


_ROUGE = RougeScorer(["rougeL"], tokenizer=_Words())
_BLEU = BLEU(effective_order=True, tokenize="none")
