"""What people say and tools say otherwise: Chinese words and plain English ones, and the words that tools have for them.

The lists beside this module are the project's own. `chinese.txt` and `everyday.txt` have a word or phrase (`log_out`) a line and
then what tools say for it, or `-` for a word of grammar or politeness; `traditional.txt` has pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent
_NOTHING = ["-"]
_HAN = re.compile(r"[\u4e00-\u9fff]+")


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a run of Chinese. `english` are the words that tools have for it: none for a word of grammar, None where the
    list does not know it.
    """

    text: str
    english: tuple[str, ...] | None


def plain(text: str) -> str:
    """A text with one form for each character: full-width letters as usual ones, traditional Chinese as simplified."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_simplified())


def chinese_segments(text: str) -> list[Segment]:
    """What is Chinese in a text (as `plain` gives it): the words of the list, the longest first from the left, and what lies
    between them.
    """
    known, longest = _chinese()
    found: list[Segment] = []
    for run in _HAN.findall(text):
        start = at = 0
        while at < len(run):
            size = next((n for n in range(min(longest, len(run) - at), 0, -1) if run[at : at + n] in known), 0)
            if size:
                found += [Segment(run[start:at], None)] if start < at else []
                found.append(Segment(run[at : at + size], known[run[at : at + size]]))
                start = at + size
            at += size or 1
        found += [Segment(run[start:], None)] if start < len(run) else []
    return found


def without_grammar(text: str) -> str:
    """A text (as `plain` gives it) with spaces for the Chinese words of grammar and politeness."""
    return _HAN.sub(
        lambda run: "".join(" " if s.english == () else s.text for s in chinese_segments(run.group())), text
    )


def in_english(text: str) -> str:
    """A text with the first English word for each Chinese one that the list knows; other Chinese is left out. What is not
    Chinese stays as it is.
    """

    def translated(run: re.Match[str]) -> str:
        return f" {' '.join(s.english[0] for s in chinese_segments(run.group()) if s.english)} "

    return _HAN.sub(translated, plain(text)) if _HAN.search(text) else text


@cache
def everyday() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Words and phrases of plain English errands, and the words that tools have for the same."""
    return {tuple(said.split("_")): meant for said, meant in _read("everyday.txt").items()}


@cache
def _chinese() -> tuple[dict[str, tuple[str, ...]], int]:
    known = _read("chinese.txt")
    return known, max(map(len, known))


@cache
def _simplified() -> dict[int, str]:
    pairs = (line.split() for line in _lines("traditional.txt"))
    return {ord(pair[0]): pair[1] for line in pairs for pair in line}


def _read(name: str) -> dict[str, tuple[str, ...]]:
    entries = (line.split() for line in _lines(name))
    return {said: () if meant == _NOTHING else tuple(meant) for said, *meant in entries}


def _lines(name: str) -> list[str]:
    content = (_FOLDER / name).read_text("utf-8").splitlines()
    return [line for line in content if line and not line.startswith("#")]
