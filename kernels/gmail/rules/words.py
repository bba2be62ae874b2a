"""Word matching of Gmail's search: whole words, ignoring case, accents and common English inflections.

Chinese and Japanese have no spaces: each character is a word, and consecutive characters match as a sequence.
"""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from functools import lru_cache

_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W_\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_SHORTEST_STEM = 3


@lru_cache(maxsize=2048)
def split(text: str) -> tuple[str, ...]:
    """Split a text into words."""
    if text.isascii():
        return tuple(_WORD.findall(text.lower()))
    plain = unicodedata.normalize("NFKD", text.casefold())
    return tuple(_WORD.findall("".join(c for c in plain if not unicodedata.combining(c))))


@lru_cache(maxsize=2048)
def stems(text: tuple[str, ...]) -> tuple[str, ...]:
    """Return the stem of each word."""
    return tuple(map(stem, text))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return the common stem of a word's inflections: invoice for invoices, book for booked and booking."""
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM and not word.endswith("ss"):
            return word[: -len(ending)] + instead
    return word


def occurs(wanted: tuple[str, ...], text: tuple[str, ...], *, exact: bool) -> list[int]:
    """Return the positions at which consecutive words occur in a text."""
    if not wanted:
        return []
    if not exact:
        wanted, text = stems(wanted), stems(text)
    size = len(wanted)
    places: list[int] = []
    at = -1
    with suppress(ValueError):  # there is no further one
        while True:
            at = text.index(wanted[0], at + 1)
            if text[at : at + size] == wanted:
                places.append(at)
    return places
