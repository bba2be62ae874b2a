"""The project's own texts: threads and texts by kind, topic and language, each handed out once until all have been used."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from soundstage.source import Mistake, Source, SourceError, read
from soundstage.worlds.builder.drafts import Draft
from soundstage.worlds.builder.draw import Draw

FOLDER = Path(__file__).parent / "corpora"
_TEXT_FIELDS = {"id", "kind", "topic", "lang", "title", "text", "minutes", "by", "guests"}
_THREAD_FIELDS = {"id", "topic", "lang", "flow", "cast", "when", "turns"}
_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[A-Za-z']{2,}")
_BRACED = re.compile(r"\{[^}]*\}")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation without people: turns by letters, which are cast when it is used."""

    id: str
    topic: str
    lang: str
    flow: str
    turns: tuple[tuple[str, str, str], ...]  # (letter, delay, text)
    cast: dict[str, frozenset[str]] = field(hash=False)
    languages: dict[str, frozenset[str]] = field(hash=False)  # what somebody must write to say a letter's turns
    days: frozenset[int] = frozenset(range(7))
    months: frozenset[int] = frozenset(range(1, 13))
    hours: tuple[int, int] | None = None

    @property
    def letters(self) -> list[str]:
        return list(dict.fromkeys(letter for letter, _, _ in self.turns))


@dataclass(frozen=True, slots=True)
class Piece:
    """A text with its title. `by` are the teams or traits whose people would have it."""

    id: str
    kind: str
    topic: str
    lang: str
    title: str
    text: str
    minutes: int = 30
    guests: int | None = None
    by: frozenset[str] = frozenset()


@cache
def shared() -> tuple[list[Source], list[Source]]:
    """The corpora that every world draws from: threads and texts."""
    threads = [read(p, f"corpora/threads/{p.name}") for p in sorted((FOLDER / "threads").glob("*.yaml"))]
    texts = [read(p, f"corpora/texts/{p.name}") for p in sorted((FOLDER / "texts").glob("*.yaml"))]
    return threads, texts


@cache
def vocabulary() -> dict[str, list[str]]:
    """Lists that slots draw from."""
    found: dict[str, list[str]] = read(FOLDER / "vocabulary.yaml", "corpora/vocabulary.yaml").value
    return found


@cache
def openers() -> dict[str, list[str]]:
    """Topic → the teams that open a conversation about it."""
    found: dict[str, list[str]] = read(FOLDER / "topics.yaml", "corpora/topics.yaml").value
    return found


def read_threads(sources: list[Source]) -> list[Thread]:
    """Threads of files.

    Raises:
        SourceError: for each thread that has not the right form.
    """
    found: list[Thread] = []
    mistakes: list[Mistake] = []
    for source in sources:
        for i, value in enumerate(source.value.get("threads") or []):
            try:
                found.append(_thread(value))
            except ValueError as error:
                mistakes.append(Mistake(source.place(("threads", i)), str(error)))
    _twice([t.id for t in found], "thread", mistakes)
    if mistakes:
        raise SourceError(mistakes)
    return found


def read_texts(sources: list[Source]) -> list[Piece]:
    """Texts of files.

    Raises:
        SourceError: for each text that has not the right form.
    """
    found: list[Piece] = []
    mistakes: list[Mistake] = []
    for source in sources:
        for i, value in enumerate(source.value.get("texts") or []):
            place = source.place(("texts", i))
            if not isinstance(value, dict) or not {"id", "kind", "lang"} <= value.keys():
                mistakes.append(Mistake(place, "a text has id, kind, topic, lang, title and text"))
            elif unknown := value.keys() - _TEXT_FIELDS:
                mistakes.append(Mistake(place, f"{', '.join(unknown)} is not known here"))
            else:
                found.append(
                    Piece(
                        str(value["id"]),
                        str(value["kind"]),
                        str(value.get("topic", "")),
                        str(value["lang"]),
                        str(value.get("title") or ""),
                        str(value.get("text") or "").strip(),
                        int(value.get("minutes", 30)),
                        value.get("guests"),
                        frozenset(value.get("by", [])),
                    )
                )
    _twice([t.id for t in found], "text", mistakes)
    if mistakes:
        raise SourceError(mistakes)
    return found


def _twice(ids: list[str], what: str, mistakes: list[Mistake]) -> None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            mistakes.append(Mistake("corpora", f"there are two {what}s with the id {one!r}"))
        seen.add(one)


def _thread(value: Any) -> Thread:
    if not isinstance(value, dict) or not {"id", "topic", "lang", "turns"} <= value.keys():
        raise ValueError("a thread has id, topic, lang and turns")
    if unknown := value.keys() - _THREAD_FIELDS:
        raise ValueError(f"{value['id']}: {', '.join(unknown)} is not known here")
    turns: list[tuple[str, str, str]] = []
    for turn in value["turns"]:
        if not isinstance(turn, dict) or len(turn) != 1:
            raise ValueError(f'{value["id"]}: a turn is one `a +4m: "text"`')
        ((head, text),) = turn.items()
        found = re.fullmatch(r"([a-z])(?: \+([\dsmhd]+))?", head)
        if found is None or not isinstance(text, str):
            raise ValueError(f"{value['id']}: {head!r} is no `letter +delay` with a text")
        turns.append((found[1], found[2] or "", text))
    when = value.get("when") or {}
    days = [_DAYS.index(d) for d in when.get("days", _DAYS)]
    hours = None
    if "hours" in when:
        low, _, high = str(when["hours"]).partition("-")
        hours = (int(low.partition(":")[0]), int(high.partition(":")[0]))
    cast = {letter: frozenset([w] if isinstance(w, str) else w) for letter, w in (value.get("cast") or {}).items()}
    if value["topic"] in openers():
        cast.setdefault(turns[0][0], frozenset(openers()[value["topic"]]))
    return Thread(
        str(value["id"]), value["topic"], value["lang"], value.get("flow", "replies"), tuple(turns), cast,
        {letter: _languages(letter, turns) for letter, _, _ in turns},
        frozenset(days), frozenset(when.get("months", range(1, 13))), hours,
    )  # fmt: skip


def _languages(letter: str, turns: list[tuple[str, str, str]]) -> frozenset[str]:
    said = " ".join(_BRACED.sub("", text) for who, _, text in turns if who == letter)
    needed = {"zh"} if _HAN.search(said) else set()
    return frozenset(needed | {"en"} if len(_WORD.findall(said)) > 2 else needed)


class Texts:
    """Pieces by kind, each handed out once; then, where `again` allows it, once more."""

    def __init__(self, pieces: list[Piece], seed: int, *, again: bool) -> None:
        self._pieces: dict[str, list[Piece]] = {}
        for piece in pieces:
            self._pieces.setdefault(piece.kind, []).append(piece)
        self._left = {kind: Draw(seed, "texts", kind).shuffled(found) for kind, found in self._pieces.items()}
        self._seed = seed
        self._again = again
        self._rounds: dict[str, int] = {}

    def take(self, kind: str, topics: list[str] | None, person: Draft | None) -> Piece | None:
        """A piece of a kind that this person would have, about one of these topics; None when there is none left."""
        found = self._take(kind, topics, person)
        if found is None and self._again and kind in self._pieces:
            self._rounds[kind] = self._rounds.get(kind, 0) + 1
            self._left[kind] = Draw(self._seed, "texts", kind, self._rounds[kind]).shuffled(self._pieces[kind])
            found = self._take(kind, topics, person)
        return found

    def take_all(self, kind: str, topic: str) -> list[Piece]:
        """Every piece of a kind about a topic that has not been handed out yet."""
        found = [piece for piece in self._left.get(kind, []) if piece.topic == topic]
        self._left[kind] = [piece for piece in self._left.get(kind, []) if piece.topic != topic]
        return found

    def _take(self, kind: str, topics: list[str] | None, person: Draft | None) -> Piece | None:
        left = self._left.get(kind, [])
        for i in range(len(left) - 1, -1, -1):
            piece = left[i]
            if (not topics or piece.topic in topics) and (person is None or fits(piece.lang, piece.by, person)):
                return left.pop(i)
        return None


def fits(lang: str, wanted: frozenset[str], person: Draft) -> bool:
    """Whether somebody writes this language and is of one of the wanted teams or traits."""
    languages = person.values["languages"]
    if (lang == "zh" and "zh" not in languages) or (lang == "en" and "en" not in languages):
        return False
    if lang == "mixed" and "zh" not in languages and "en" not in languages:
        return False
    return (
        not wanted
        or "any" in wanted
        or person.values["team"] in wanted
        or not wanted.isdisjoint(person.values["traits"])
    )
