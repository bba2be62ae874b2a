"""Detection of duplicate papers: equal DOIs, equal titles with one author or year, or similar titles with one author.

Source: src/utils/deduplication.ts, with its defaults. Author and year are compared before titles, which only affects speed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import utf16_length

_ALIKE, _ALIKE_BY_TITLE_ALONE = 0.9, 0.95
_VERSIONS = tuple(
    re.compile(pattern, re.ASCII | re.IGNORECASE)
    for pattern in (
        r"\b(version\s+\d+|v\d+)\b",
        r"\b(preprint|published version|final version)\b",
        r"\barxiv:\d{4}\.\d+\b",
        r"\b\[preprint\]\b",
        r"\b\[published\]\b",
    )
)
_ENTITIES = (("&amp;", "&"), ("&quot;", '"'), ("&#39;", "'"), ("&apos;", "'"), ("&lt;", "<"), ("&gt;", ">"))
_NUMBERED = re.compile(r"&#(?:(\d+)|x([0-9A-Fa-f]+));", re.ASCII)
_YEAR = re.compile(r"\b(?:19|20)\d{2}\b", re.ASCII)
_INITIAL = re.compile(r"[A-Z]\.?")


@dataclass(frozen=True, slots=True)
class _Print:
    """The compared features of a paper. Author and year are empty if they are unknown."""

    doi: str
    title: str
    author: str
    year: str


def unique(papers: list[Object], now_year: int) -> list[Object]:
    """Return the papers without duplicates.

    The first one stays unless only a later one has a DOI or contains more information.
    """
    result: list[Object] = []
    for paper in papers:
        print_ = _print_of(paper, now_year)
        place = next((i for i, other in enumerate(result) if _same(print_, _print_of(other, now_year))), None)
        if place is None:
            result.append(paper)
        elif _says_more(paper, result[place], now_year):
            result[place] = paper
    return result


def _says_more(paper: Object, other: Object, now_year: int) -> bool:
    if paper.get("doi") or other.get("doi"):
        return bool(paper.get("doi")) and not other.get("doi")
    return _quality(paper, now_year) > _quality(other, now_year)


def _quality(paper: Object, now_year: int) -> int:
    authors = paper.get("authors")
    known = (paper.get("title"), authors or isinstance(authors, list), _year(paper, now_year), paper.get("abstract"))
    return sum(map(bool, known))


def _same(one: _Print, other: _Print) -> bool:
    if one.doi and one.doi == other.doi:
        return True
    years_differ = bool(one.year and other.year and one.year != other.year)
    years_agree = bool(one.year and other.year) and not years_differ
    equal = bool(one.title) and one.title == other.title
    if one.author != other.author:
        return equal and years_agree
    if years_differ or not one.title or not other.title:
        return False
    if equal:
        return True
    by_title_alone = not one.author and not years_agree
    return _similarity(one.title, other.title) >= (_ALIKE_BY_TITLE_ALONE if by_title_alone else _ALIKE)


def _print_of(paper: Object, now_year: int) -> _Print:
    return _Print(
        paper.get("doi") or "", _normal(paper.get("title") or ""), _author(paper.get("authors")), _year(paper, now_year)
    )


def _normal(title: str) -> str:
    for entity, sign in _ENTITIES:
        title = title.replace(entity, sign)
    title = _NUMBERED.sub(lambda entity: chr(int(entity[1] or entity[2], 10 if entity[1] else 16) % 0x10000), title)
    for version in _VERSIONS:
        title = version.sub("", title)
    return " ".join(re.sub(r"[-:.,;]", " ", title.lower()).split())


def _author(authors: str | list[str] | None) -> str:
    """Return the first author's last name as the server guesses it."""
    first = ((authors[0] if authors else "") if isinstance(authors, list) else authors or "").strip()
    part = first.split(",")[0].strip()
    if "et al" in part.lower():
        words = re.split(r"et\s+al", part, flags=re.IGNORECASE)[0].split()
        return words[-1].lower() if words else ""
    words = (part if "," in first and part else first).split()
    if not words:
        return ""
    if "," not in first and len(words) > 1 and _INITIAL.fullmatch(words[0]):
        return words[1].lower()
    return words[-1].lower()


def _year(paper: Object, now_year: int) -> str:
    if paper.get("year"):
        return str(paper["year"])
    year = _YEAR.search(paper.get("publication_date") or "")
    return year[0] if year and int(year[0]) <= now_year + 1 else ""


def _similarity(one: str, other: str) -> float:
    """Return 1 minus the share of characters to change."""
    longest = max(utf16_length(one), utf16_length(other))
    before = list(range(len(other) + 1))
    for i, character in enumerate(one, start=1):
        row = [i]
        for j, beside in enumerate(other, start=1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (character != beside)))
        before = row
    return 1 - before[-1] / longest
