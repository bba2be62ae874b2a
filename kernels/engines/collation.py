"""The order of JavaScript's `localeCompare`: Unicode's root collation, as in ICU.

Punctuation sorts before digits, digits before letters. Accents count if the letters are equal, and case (lower before upper)
counts if the accents are equal. Scripts follow the order of Unicode's table; letters of a script sort by code point.
Contractions and the weights of rare symbols are not implemented.
"""

from __future__ import annotations

import unicodedata

_FIRST = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_PLACES = {character: i for i, character in enumerate(_FIRST)}
_BLANKS = dict.fromkeys("\t\n\v\f\r", -1)
_DIGITS, _LETTERS = 1_000_000, 2_000_000
_SPELT = {"æ": "ae", "œ": "oe", "ß": "ss", "ø": "o", "đ": "d", "ł": "l", "þ": "th"}

SortKey = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def sort_key(text: str) -> SortKey:
    """Return the sort key of a text: letters first, then accents, then case."""
    letters: list[int] = []
    accents: list[int] = []
    cases: list[int] = []
    for character in unicodedata.normalize("NFD", text):
        if unicodedata.combining(character):
            accents.append(ord(character))
            continue
        if unicodedata.category(character) == "Cc" and character not in _BLANKS:
            continue
        small = character.lower()
        spelt = _SPELT.get(small, small)
        for i, part in enumerate(spelt):
            letters.append(_weight(part))
            accents.append(0 if spelt == small else 1)
            cases.append(int(character != small) if i == 0 else 0)
    return tuple(letters), tuple(accents), tuple(cases)


def _weight(character: str) -> int:
    if (place := _PLACES.get(character)) is not None:
        return place
    if (blank := _BLANKS.get(character)) is not None:
        return blank
    if character.isdecimal():
        return _DIGITS + unicodedata.decimal(character)
    code = ord(character)
    return _LETTERS + code if character.isalpha() else len(_PLACES) + code
