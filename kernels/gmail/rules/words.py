"""Words as Gmail's search compares them: whole ones, whatever their case and accents, in any of their common English forms.

Chinese and Japanese have no blanks: each sign is a word, and signs that follow each other are looked for as they stand.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W_\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_SHORTEST_STEM = 3


@lru_cache(maxsize=2048)
def split(text: str) -> tuple[str, ...]:
    """The words of a text."""
    if text.isascii():
        return tuple(_WORD.findall(text.lower()))
    plain = unicodedata.normalize("NFKD", text.casefold())
    return tuple(_WORD.findall("".join(c for c in plain if not unicodedata.combining(c))))


@lru_cache(maxsize=2048)
def stems(text: tuple[str, ...]) -> tuple[str, ...]:
    """What each word has in common with its other forms."""
    return tuple(map(stem, text))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """What a word has in common with its other forms: invoices, invoice; booked, booking, book."""
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM and not word.endswith("ss"):
            return word[: -len(ending)] + instead
    return word


def occurs(wanted: tuple[str, ...], text: tuple[str, ...], *, exact: bool) -> list[int]:
    """Where words occur in a text, one behind the other: the places of the first."""
    if not wanted:
        return []
    if not exact:
        wanted, text = stems(wanted), stems(text)
    if wanted[0] not in text:
        return []
    size = len(wanted)
    return [i for i in range(len(text) - size + 1) if text[i] == wanted[0] and text[i : i + size] == wanted]
