"""Simple search: notes that contain all words of a query, with the positions of the matches (`searchSimplePost`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import number, utf16_length
from soundstage.kernels.obsidian.rules.vault import Vault, text_of

Place = tuple[int, int]


def simple_search(vault: Vault, query: str, context_length: object) -> list[Object]:
    """Return notes with their matches, `{filename, score, matches: [{context, match_position: {start, end}}]}`.

    Obsidian's scoring is not public; here the score approaches 0 with more matches. The plugin lists ascending scores, so the
    best notes come last, and notes with equal scores in reverse order.
    """
    length = _parsed_integer(context_length)
    words = list(dict.fromkeys(query.lower().split()))
    hits: list[tuple[float, int, Object]] = []
    for place, file in enumerate(vault.notes()):
        text = text_of(file)
        places = _places(text, words)
        if places:
            score = number(-1 / len(places))
            matches = _matches(text, places, length)
            hits.append((score, -place, {"filename": file["path"], "score": score, "matches": matches}))
    return [result for _, _, result in sorted(hits, key=lambda item: item[:2])]


def _places(text: str, words: list[str]) -> list[Place]:
    """Return the positions of the words in order, with adjacent ones merged; [] unless every word occurs."""
    lowered = _lowered(text)
    places: list[Place] = []
    for word in words:
        here = list(_occurrences(lowered, word))
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


def _occurrences(text: str, word: str) -> Iterator[Place]:
    """Yield the positions of a word that do not overlap."""
    at = text.find(word)
    while at >= 0:
        yield at, at + len(word)
        at = text.find(word, at + len(word))


def _matches(text: str, places: list[Place], length: float) -> list[Object]:
    """Return matches with positions in UTF-16 units, and the text around them."""
    units = text.encode("utf-16-le", "surrogatepass")
    matches: list[Object] = []
    at = first = 0
    for start, end in places:
        first += utf16_length(text[at:start])
        at = start
        last = first + utf16_length(text[start:end])
        around = units[2 * int(max(first - length, 0)) : 2 * max(int(last + length), 0)]
        context = around.decode("utf-16-le", "surrogatepass")
        matches.append({"context": context, "match_position": {"start": first, "end": last}})
    return matches


def _lowered(text: str) -> str:
    """Return a text in lower case without changing any position."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _parsed_integer(value: object) -> int:
    """Return `parseInt` of a number in Python's notation: 1 for 1e+22."""
    match = re.match(r"-?[0-9]+", str(value))
    return int(match[0]) if match else 0
