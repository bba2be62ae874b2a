"""Figures on the wording of a world's diaries, to-do lists, documents and pages, and remarks on implausible wording."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from soundstage.worlds.builder import text as texts
from soundstage.worlds.builder.chinese import HAN, is_chinese
from soundstage.worlds.builder.drafts import Plan
from soundstage.worlds.builder.voices import CONTRACTED, UNCONTRACTED

_KINDS = {"event": "events", "task": "tasks", "document": "documents", "page": "pages"}
_NOTED = ("events", "tasks")  # kinds that people note in passing
_CLOSED = re.compile(r"[.。]$")
_SENTENCES = re.compile(r"(?<=[.?!。？！；])\s*|\n+")
_ENOUGH = 20  # of a kind from which on its figures say something
_TITLES_CLOSED = 5
_DESCRIBED = 65
_LONG_SENTENCE = 75


@dataclass(frozen=True, slots=True)
class Papers:
    """Figures on one kind of paper. Shares are percent; lengths are median letters, where a Chinese character counts as three.

    Attributes:
        titles_closed: titles that end with a full stop.
        described: papers with any text below their title.
        sentence: the length of a sentence, or of a line in texts without sentences.
        contractions: share of the sentences that could have one.
    """

    kind: str
    number: int
    title: int
    titles_closed: int
    described: int
    text: int
    sentence: int
    contractions: int


def papers(plan: Plan) -> list[Papers]:
    """Figures of every kind that the world has, those that there are most of first."""
    below: dict[str, list[str]] = defaultdict(list)
    for block in plan.of_kind("block"):
        below[block.values["page"].key].append(texts.plain(block.values["text"] or ""))
    by_kind: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for kind, name in _KINDS.items():
        for draft in plan.of_kind(kind):
            if kind == "page" and draft.values.get("of") is not None:
                continue  # a document's place in a wiki, counted with the documents
            if kind == "event" and draft.values["instance_of"] is not None:
                continue
            text = "\n".join(below[draft.key]) if kind == "page" else texts.plain(draft.values["text"] or "")
            by_kind[name].append((texts.plain(draft.values["title"]), text.strip()))
    return sorted((_figures(kind, written) for kind, written in by_kind.items()), key=lambda p: (-p.number, p.kind))


def unlike_an_office(measured: list[Papers]) -> Iterator[str]:
    """Yield remarks on kinds whose wording does not look like notes made in passing."""
    for one in measured:
        if one.number < _ENOUGH:
            continue
        if one.titles_closed > _TITLES_CLOSED:
            yield f"{one.titles_closed} of 100 titles of {one.kind} end with a full stop"
        if one.kind in _NOTED and one.described > _DESCRIBED:
            yield f"{one.described} of 100 {one.kind} have a description; most people leave it out"
        if one.sentence > _LONG_SENTENCE:
            yield f"{one.kind} are written in sentences of {one.sentence} letters"


def _figures(kind: str, written: list[tuple[str, str]]) -> Papers:
    texts = [text for _, text in written if text]
    sentences = [s for text in texts for s in _SENTENCES.split(text) if s]
    english = [s for s in sentences if not is_chinese(s)]
    could = [s for s in english if CONTRACTED.search(s) or UNCONTRACTED.search(s)]
    return Papers(
        kind=kind,
        number=len(written),
        title=_median([title for title, _ in written]),
        titles_closed=_percent(sum(bool(_CLOSED.search(title)) for title, _ in written), len(written)),
        described=_percent(len(texts), len(written)),
        text=_median(texts),
        sentence=_median(sentences),
        contractions=_percent(sum(bool(CONTRACTED.search(s)) for s in could), len(could)),
    )


def _median(written: list[str]) -> int:
    lengths = sorted(len(text) + 2 * len(HAN.findall(text)) for text in written)
    return lengths[len(lengths) // 2] if lengths else 0


def _percent(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole else 0
