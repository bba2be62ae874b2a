"""Texts brought to one form, and words found in them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SPACES = re.compile(r"\s+")
_HIDDEN = re.compile("[\u200b-\u200f\u2060\ufeff*_`~]")  # zero-width characters, and the marks of Markdown
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_UNTIL = re.compile(r"(?<=\w) ?~ ?(?=[¥$€]?\d)")  # 10~20: from ten to twenty; before a number alone it says "about"
_APART = re.compile(r"[\W_]+")


def plain(text: str) -> str:
    """A text with one width, one case, one kind of dash and one space between words; punctuation stays."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _SPACES.sub(" ", _HIDDEN.sub("", _UNTIL.sub("-", _DASHES.sub("-", folded)))).strip()


def collapsed(text: str) -> str:
    """A text without punctuation and spaces at its ends; what is left counts as equal in `text` matchers."""
    return _APART.sub(" ", plain(text)).strip()


def says(text: str, phrase: str) -> bool:
    """Whether a plain text holds a phrase: on word borders, a number never inside another number."""
    return _pattern(plain(phrase)).search(text) is not None


@lru_cache(maxsize=4096)
def _pattern(phrase: str) -> re.Pattern[str]:
    before = _border(phrase[:1], r"(?<![{0}])", r"(?<![\d.])(?<!\d[,:])")
    after = _border(phrase[-1:], r"(?![{0}])", r"(?!\d|[.,:]\d)")
    words = r"\s*".join(re.escape(word) for word in phrase.split(" ")) if not phrase.isascii() else None
    body = words if words is not None else r"[\s-]+".join(re.escape(word) for word in phrase.split(" "))
    return re.compile(before + body + after)


def _border(edge: str, letters: str, digits: str) -> str:
    if edge.isdigit():
        return digits
    # Chinese has no spaces between words; Latin letters end where other Latin letters do not go on.
    return letters.format("a-z0-9à-öø-ÿāčďěńňőřšťůűýžœß") if edge.isalpha() and ord(edge) < 0x2E80 else ""
