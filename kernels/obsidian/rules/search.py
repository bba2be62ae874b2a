"""Simple search: notes in which all words of a query occur, with the places where they stand (`searchSimplePost`)."""

from __future__ import annotations

import re

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import number, utf16_length, utf16_slice
from soundstage.kernels.obsidian.rules.vault import Vault, text_of

Place = tuple[int, int]


def simple_search(vault: Vault, query: str, context_length: object) -> list[Object]:
    """Notes with their matches, `{filename, score, matches: [{context, match_position: {start, end}}]}`.

    Obsidian's own score is not public: here a note's score comes closer to 0 the more matches it has. The plugin lists from the
    lowest score up, so the best notes come last, and those of one score in reversed order.
    """
    length = _parsed_integer(context_length)
    found: list[tuple[float, int, Object]] = []
    for place, file in enumerate(vault.notes()):
        text = text_of(file)
        places = _places(text, query.lower().split())
        if places:
            score = number(-1 / len(places))
            matches = [_match(text, start, end, length) for start, end in places]
            found.append((score, -place, {"filename": file["path"], "score": score, "matches": matches}))
    return [result for _, _, result in sorted(found, key=lambda item: item[:2])]


def _places(text: str, words: list[str]) -> list[Place]:
    """Where the words stand, in order; those that touch each other's letters are one. [] unless every word occurs."""
    lowered = _lowered(text)
    places: list[Place] = []
    for word in words:
        here = [(found.start(), found.end()) for found in re.finditer(re.escape(word), lowered)]
        if not here:
            return []
        places += here
    merged: list[Place] = []
    for start, end in sorted(places):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _match(text: str, start: int, end: int, length: float) -> Object:
    """A match with its places in UTF-16 units, and the text around it."""
    first = utf16_length(text[:start])
    last = first + utf16_length(text[start:end])
    context = utf16_slice(text, int(max(first - length, 0)), int(last + length))
    return {"context": context, "match_position": {"start": first, "end": last}}


def _lowered(text: str) -> str:
    """In lower case, letter by letter, so that places stay where they are."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _parsed_integer(value: object) -> int:
    """`parseInt` of a number as Python writes it into an address: of 1e+22 the 1."""
    found = re.match(r"-?[0-9]+", str(value))
    return int(found[0]) if found else 0
