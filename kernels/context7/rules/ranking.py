"""BM25 ranking of texts for a question, in place of Context7's unknown semantic ranking."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SAYS_NOTHING = (
    "a about all an and any are as at be by can code could do does example examples for from get give has have how i if in into "
    "is it its just library like make me my need of on or our please set should show so some than that the their then there "
    "this to use used using want was way we what when where which who why will with would you your"
)
_STOP_WORDS = frozenset(_SAYS_NOTHING.split())
_SATURATION, _LENGTH = 1.2, 0.75
_HEADING = 3
"""Weight of a word in the heading."""

_ENDINGS = (("ies", "y"), ("ings", ""), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", ""))
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Text:
    """A searchable text with its heading."""

    heading: str
    body: str


def words(text: str) -> list[str]:
    """Return the stems of significant words: `createWidget()` contains create and widget. Single letters are ignored."""
    result = (word.lower() for word in _WORD.findall(text))
    return [_stem(word) for word in result if len(word) > 1 and word not in _STOP_WORDS]


def ranked(question: str, texts: Sequence[Text]) -> list[int]:
    """Return the indices of the texts that contain a word of the question, best first.

    A question without words matches all texts in their order.
    """
    query_terms = set(words(question))
    if not query_terms:
        return list(range(len(texts)))
    counts = [Counter(words(t.heading) * _HEADING + words(t.body)) for t in texts]
    lengths = [sum(count.values()) for count in counts]
    usual = sum(lengths) / len(lengths) if any(lengths) else 1.0
    scores = [0.0] * len(texts)
    for word in sorted(query_terms):
        having = sum(word in count for count in counts)
        weight = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
        for i, count in enumerate(counts):
            if times := count[word]:
                damped = _SATURATION * (1 - _LENGTH + _LENGTH * lengths[i] / usual)
                scores[i] += weight * times * (_SATURATION + 1) / (times + damped)
    return sorted((i for i, score in enumerate(scores) if score > 0), key=lambda i: (-round(scores[i], 9), i))


def _stem(word: str) -> str:
    """Return a word without its inflection: creates, created and creating become creat."""
    for ending, instead in _ENDINGS:
        left = len(word) - len(ending)
        if left >= _SHORTEST and word.endswith(ending) and not word.endswith("ss"):
            return word[:left] + instead
    return word
