"""The order in which JavaScript's `localeCompare` puts texts: the root order of Unicode, as ICU has it.

Punctuation before digits before letters; accents count where the letters are the same, and case (small before large) where the
accents are. Scripts follow each other as in Unicode's table, within a script letters go by their code points; contractions and
the weights of rare symbols are left out.
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
    """What puts texts into that order: by letters, then by accents, then by case."""
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
