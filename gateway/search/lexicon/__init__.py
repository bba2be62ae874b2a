"""Vocabulary: Chinese words and everyday English ones, with the words that tools use for the same.

The lists in this folder are the project's own. `chinese.txt` and `everyday.txt` have a word or phrase (`log_out`) on each line,
followed by the words of tools, or `-` for a function word or courtesy; `traditional.txt` has pairs of characters.
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
    """A segment of a run of Chinese.

    `english` are the words of tools for it: empty for a function word, None if the list does not contain it.
    """

    text: str
    english: tuple[str, ...] | None


def plain(text: str) -> str:
    """Normalize characters: full-width letters to ASCII, traditional Chinese to simplified."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_simplified())


def chinese_segments(text: str) -> list[Segment]:
    """Split the Chinese runs of a normalized text into words of the list, longest first from the left, and unknown parts."""
    known, longest = _chinese()
    segments: list[Segment] = []
    for run in _HAN.findall(text):
        start = at = 0
        while at < len(run):
            size = next((n for n in range(min(longest, len(run) - at), 0, -1) if run[at : at + n] in known), 0)
            if size:
                segments += [Segment(run[start:at], None)] if start < at else []
                segments.append(Segment(run[at : at + size], known[run[at : at + size]]))
                start = at + size
            at += size or 1
        segments += [Segment(run[start:], None)] if start < len(run) else []
    return segments


def without_grammar(text: str) -> str:
    """Replace the Chinese function words and courtesies in a normalized text by spaces."""
    return _HAN.sub(
        lambda run: "".join(" " if s.english == () else s.text for s in chinese_segments(run.group())), text
    )


def in_english(text: str) -> str:
    """Replace each known Chinese word by its first English word and remove other Chinese. Everything else is unchanged."""

    def translated(run: re.Match[str]) -> str:
        return f" {' '.join(s.english[0] for s in chinese_segments(run.group()) if s.english)} "

    return _HAN.sub(translated, plain(text)) if _HAN.search(text) else text


@cache
def everyday() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return everyday English words and phrases, with the words that tools use for the same."""
    return {tuple(phrase.split("_")): meant for phrase, meant in _read("everyday.txt").items()}


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
    return {phrase: () if meant == _NOTHING else tuple(meant) for phrase, *meant in entries}


def _lines(name: str) -> list[str]:
    content = (_FOLDER / name).read_text("utf-8").splitlines()
    return [line for line in content if line and not line.startswith("#")]
