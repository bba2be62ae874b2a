"""Text into words: identifiers taken apart, stop words dropped, English endings cut, CJK text as pairs of characters."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from snowballstemmer import stemmer

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = re.compile(rf"[{_CJK}]+|[^\W\d_{_CJK}]+|\d+")
_CJK_RUN = re.compile(rf"[{_CJK}]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_IDENTIFIER = re.compile(r"[A-Za-z]\w*(?:-\w+)*")
_JOINT = re.compile(r"\w[_-]\w|[a-z][A-Z]")
_TO_DO = re.compile(r"\bto-do(?=s?\b)", re.IGNORECASE)  # two stop words otherwise
_LONGEST_WORD = 64  # a longer run of letters is a value, not a word

_STOP_WORDS = (
    "a about after all also am an and any are as at be been before being but by can could did do does doing for from "
    "had has have having he help her here him his how i if in into is it its just let may me might more my need "
    "no not now of on once or other our out over please shall she should so some such than thank thanks that the their "
    "them then there these they this those through to too under until up us very want was we were what when where "
    "which while who whom why will with would you your"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())

_english = stemmer("english")


def pieces(text: str) -> list[str]:
    """Split a text into its words in lower case and in order, including stop words.

    `calendarEvent_create` gives calendar, event, create; a run of CJK characters gives each pair of neighbours.
    """
    parts: list[str] = []
    for run in _RUN.findall(_TO_DO.sub("todo", unicodedata.normalize("NFKC", text))):
        if is_cjk(run):
            parts += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
        elif len(run) > _LONGEST_WORD:
            continue
        elif run.isascii() and run.isalpha():
            parts += [part.lower() for part in _CAMEL.findall(run)]
        else:
            parts.append(run.lower())
    return parts


def is_cjk(word: str) -> bool:
    """Whether a word of `pieces` is made of CJK characters."""
    return _CJK_RUN.match(word) is not None


def identifiers(text: str) -> set[str]:
    """The words of a text that only a program would write, such as post_message or postMessage, in lower case."""
    return {name.lower() for name in _IDENTIFIER.findall(text) if _JOINT.search(name)}


def words(text: str) -> list[str]:
    """`pieces` without stop words."""
    return [word for word in pieces(text) if word not in STOP_WORDS]


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """An English word without its ending; other words as they are."""
    return str(_english.stemWord(word)) if word.isascii() and not word.isdigit() else word
