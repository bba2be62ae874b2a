"""Find the sentence that best matches a question: BM25 over sentences, for English and Chinese."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_K1, _B = 1.2, 0.6
_SHORTEST, _LONGEST = 12, 400
_ENOUGH = 0.6
"""Share of a question's weight that a sentence must cover to answer it."""
_OWN = 0.35
"""Share that the sentence itself must cover, without the title above it."""
_ABOUT = 0.5
_TELLING_ALONE = 6
_FULL_STOPS = (".", "!", "。", "！")
_SEAM = 0.2
_END = re.compile(r"(?<=[.!?])\s+(?=[\"'(A-Z0-9])|(?<=[。！？])\s*|\n+")
_WORD = re.compile(r"[a-z0-9]+(?:[.'][a-z0-9]+)*|[\u4e00-\u9fff]+")
_UNTELLING_WORDS = (
    "a about an and any are as at be been but by can could did do does for from give had has have he her his how i if in into "
    "is it its just let me more my no not of on or our please say she should so some such tell than that the their them then "
    "there these they this to us was we were what when where which while who why will with would you your explain describe "
    "know 的 了 是 在 和 与 吗 呢 吧 啊 我 你 他 她 它 们 有 没有 什么 怎么 如何 哪里 哪个 为什么 多少 "
    "请 一下 一个 这个 那个 可以 能不能"
)
_UNTELLING = frozenset(_UNTELLING_WORDS.split())


def terms(text: str) -> list[str]:
    """Return the significant terms of a text: stemmed English words, and pairs of characters for Chinese."""
    results: list[str] = []
    for word in _WORD.findall(text.lower()):
        if word[0] > "\u4e00":
            pairs = [word[i : i + 2] for i in range(len(word) - 1)] or [word]
            results += [pair for pair in pairs if pair not in _UNTELLING]
        elif word not in _UNTELLING:
            results.append(_stem(word.removesuffix("'s")))
    return results


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, additional words of its topic, and its weight relative to other sentences."""

    text: str
    about: str = ""
    favour: float = 1.0


def sentences(texts: Iterable[str], about: str = "", *, whole: bool = False) -> list[Sentence]:
    """Return the sentences of `texts` that are neither too short nor too long.

    With `whole`, only sentences that end with a full stop count, which excludes headings and questions.
    """
    result = (" ".join(part.split()) for text in texts for part in _END.split(text))
    return [
        Sentence(sentence, about)
        for sentence in dict.fromkeys(result)
        if _SHORTEST <= len(sentence) <= _LONGEST and (not whole or sentence.endswith(_FULL_STOPS))
    ]


def asks_enough(question: str) -> bool:
    """Return whether a question is specific enough to search everything: one short word matches too much."""
    wanted = set(terms(question))
    return len(wanted) > 1 or any(not term.isascii() or len(term) >= _TELLING_ALONE for term in wanted)


class Passages:
    """An index of sentences that is searched with questions."""

    def __init__(self, entries: Sequence[Sentence]) -> None:
        """Index the given sentences."""
        self._entries = entries
        self._own: dict[str, list[tuple[int, int]]] = {}
        self._about: dict[str, list[int]] = {}
        self._lengths: list[int] = []
        for number, sentence in enumerate(entries):
            counts = Counter(terms(sentence.text))
            self._lengths.append(sum(counts.values()))
            for term, count in counts.items():
                self._own.setdefault(term, []).append((number, count))
            for term in set(terms(sentence.about)) - counts.keys():
                self._about.setdefault(term, []).append(number)
        self._usual = sum(self._lengths) / len(entries) if entries else 1.0

    def best(self, question: str, limit: int) -> list[str]:
        """Return the sentences that match a question best, best first; empty if none covers enough of it."""
        wanted = list(dict.fromkeys(terms(question)))
        if not any(term[0].isalpha() for term in wanted):
            return []  # numbers alone have no topic
        scores: defaultdict[int, float] = defaultdict(float)
        own: defaultdict[int, float] = defaultdict(float)
        covered: defaultdict[int, float] = defaultdict(float)
        weights = {term: self._weight(term) for term in wanted}
        for term, weight in weights.items():
            for number, count in self._own.get(term, ()):
                part = count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * self._lengths[number] / self._usual))
                scores[number] += weight * part
                own[number] += weight
                covered[number] += weight
            for number in self._about.get(term, ()):
                scores[number] += weight * _ABOUT
                covered[number] += weight
        whole = sum(weights.values())
        near = [n for n in scores if covered[n] >= _ENOUGH * whole and own[n] >= _OWN * whole]
        near.sort(key=lambda n: (-round(scores[n] * self._entries[n].favour, 6), n))
        return [self._entries[number].text for number in near[:limit]]

    def _weight(self, term: str) -> float:
        """Return the weight of a term: the rarer, the higher.

        An unknown term counts as if one sentence contained it. An unknown pair of Chinese characters may straddle two words and
        counts little.
        """
        current = len(self._own.get(term, ())) + len(self._about.get(term, ()))
        weight = math.log(1 + (len(self._entries) - max(current, 1) + 0.5) / (max(current, 1) + 0.5))
        return weight * _SEAM if not current and term[0] > "\u4e00" else weight


def _stem(word: str) -> str:
    """Return a word without its ending: "opens", "opened" and "opening" have the same stem."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)].removesuffix("e")
    return word.removesuffix("e") if len(word) > 3 else word
