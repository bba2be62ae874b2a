"""Normalize texts and find phrases in them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SPACES = re.compile(r"\s+")
_HIDDEN = re.compile("[\u200b-\u200f\u2060\ufeff*_`~]")  # zero-width characters, and Markdown markup
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_UNTIL = re.compile(r"(?<=\w) ?~ ?(?=[¥$€]?\d)")  # 10~20 is a range; before a single number ~ means "about"
_CANNOT = re.compile("不了|不成")
_CORRECTED = [  # how a denial begins, and how the correction follows in the same sentence
    (re.compile(r"(?:不是|并非)[^,.;!?。;的]{0,4}$"), re.compile(r"[^.;!?。]*?,? ?(?<!不)(?<!还)(?<!但)(?:而是|,是)")),
    (re.compile(r"(?<![a-z])(?:not|isn't|wasn't) (?:the |a |an |your |my |our )?$"), re.compile(r"[^.;!?]*?[ ,]but ")),
]
_APART = re.compile(r"[\W_]+")
_DENIAL = 40  # characters, more than the first patterns of _CORRECTED match
_REACH = 400  # maximum characters between a phrase and its correction


_LONG = 1000
_MARKS_IN_A_ROW = 30
_JOINER = "\u034f"  # the combining grapheme joiner: not a mark, so sorting stops at it


def normalize(text: str) -> str:
    """Normalize width, case, dashes and spaces of a text; punctuation stays."""
    folded = unicodedata.normalize("NFKC", _stream_safe(text)).casefold()
    return _SPACES.sub(" ", _HIDDEN.sub("", _UNTIL.sub("-", _DASHES.sub("-", folded)))).strip()


def _stream_safe(text: str) -> str:
    """Return a text without endless runs of combining marks, which normalization would sort in quadratic time (UAX #15)."""
    if len(text) <= _LONG or text.isascii():
        return text
    characters: list[str] = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks > _MARKS_IN_A_ROW:
            characters.append(_JOINER)
            marks = 1
        characters.append(character)
    return "".join(characters)


def without_punctuation(text: str) -> str:
    """Remove punctuation and outer spaces from a text; `text` matchers compare the result."""
    return _APART.sub(" ", normalize(text)).strip()


def holds(text: str, phrase: str) -> bool:
    """Whether a plain text contains a phrase at word boundaries; numbers match only whole, names also in the plural."""
    return _pattern(normalize(phrase), _is_name(phrase)).search(text) is not None


def says(text: str, phrase: str) -> bool:
    """Whether a plain text states a phrase without denying it.

    不是查重那篇，是猫那篇 does not state 查重, and 我参加不了 does not state 我参加.
    """
    return any(not _taken_back(text, match) for match in _pattern(normalize(phrase), _is_name(phrase)).finditer(text))


def _taken_back(text: str, match: re.Match[str]) -> bool:
    if not text[match.end() - 1].isascii() and _CANNOT.match(text, match.end()):
        return True
    before, until = text[max(0, match.start() - _DENIAL) : match.start()], match.end() + _REACH
    return any(opens.search(before) and instead.match(text, match.end(), until) for opens, instead in _CORRECTED)


def _is_name(phrase: str) -> bool:
    """Whether a phrase ends with a name that may be pluralized, such as 81 Embers; other words change meaning with an "s"."""
    return re.search(r"(?:^| )[A-Z][a-z]{2,}[a-rt-xz]$", phrase) is not None


@lru_cache(maxsize=4096)
def _pattern(phrase: str, name: bool) -> re.Pattern[str]:
    before = _border(phrase[:1], r"(?<![{0}])", r"(?<![\d.])(?<!\d[,:])")
    after = _border(phrase[-1:], r"(?![{0}])", r"(?!\d|[.,:]\d)")
    words = r"\s*".join(re.escape(word) for word in phrase.split(" ")) if not phrase.isascii() else None
    body = words if words is not None else r"[\s-]+".join(re.escape(word) for word in phrase.split(" "))
    several = "s?" if name else ""
    return re.compile(before + body + several + after)


def _border(edge: str, letters: str, digits: str) -> str:
    if edge.isdigit():
        return digits
    # Chinese has no spaces between words; a Latin word ends before a character that is not a Latin letter.
    return letters.format("a-z0-9à-öø-ÿāčďěńňőřšťůűýžœß") if edge.isalpha() and ord(edge) < 0x2E80 else ""
