"""The project's own texts: threads and texts by kind, topic and language, each handed out once until all have been used."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from soundstage.source import Mistake, Source, SourceError, read
from soundstage.worlds.builder.chinese import HAN
from soundstage.worlds.builder.drafts import Draft
from soundstage.worlds.builder.draw import Draw
from soundstage.worlds.builder.forms import FLOWS

FOLDER = Path(__file__).parent / "corpora"
_TEXT_FIELDS = {"id", "kind", "topic", "lang", "title", "text", "minutes", "by", "guests"}
_THREAD_FIELDS = {"id", "topic", "lang", "flow", "cast", "when", "where", "received", "turns"}
# Slots for a room or a venue of the organisation's city; only people who work there can speak of them.
_ROOMS = re.compile(r"\{(?:room|venue)\d?\}")
_FLAGS = re.compile(r"(recalled)|(edited)=([\dsmhd]+)|(new)")
_DEMANDS = frozenset({"here", "away", "native:zh", "native:en", "learner:zh", "learner:en"})
_MESSAGE_FORMS = {"text", "image", "media", "file"}
_WORD = re.compile(r"[A-Za-z']{2,}")
_BRACED = re.compile(r"\{[^}]*\}")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, slots=True)
class Turn:
    """The text of one part in a conversation.

    `wait` is the delay as written; `attachments` are sent with the text or instead of it.
    """

    letter: str
    wait: str
    flags: str
    text: str
    attachments: dict[str, Any] = field(hash=False, default_factory=dict)


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation without people: turns by letters, which are cast when it is used.

    Attributes:
        cast: letter → teams and traits of which one is wanted, and demands that all hold: `here` and `away` (in the
            organisation's city or not), `native:zh` (their first language), `learner:zh` (one that they learnt).
        here: whether all who speak must be in the organisation's city.
        received: how many members say no more than that they have read the first message.
    """

    id: str
    topic: str
    lang: str
    flow: str
    turns: tuple[Turn, ...]
    cast: dict[str, frozenset[str]] = field(hash=False)
    languages: dict[str, frozenset[str]] = field(
        hash=False
    )  # the languages that a speaker needs for the turns of a part
    days: frozenset[int] = frozenset(range(7))
    months: frozenset[int] = frozenset(range(1, 13))
    hours: tuple[int, int] | None = None
    here: bool = False
    received: int = 0

    @property
    def letters(self) -> list[str]:
        """Return the letters of the speakers in order of appearance."""
        return list(dict.fromkeys(turn.letter for turn in self.turns))


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
    words: dict[str, list[str]] = read(FOLDER / "vocabulary.yaml", "corpora/vocabulary.yaml").value
    return words


@cache
def _topics() -> dict[str, Any]:
    topics: dict[str, Any] = read(FOLDER / "topics.yaml", "corpora/topics.yaml").value
    return topics


def openers() -> dict[str, list[str]]:
    """Topic → the teams that open a conversation about it."""
    opening_lines: dict[str, list[str]] = _topics()["opens"]
    return opening_lines


def local_topics() -> list[str]:
    """Return the topics that only people in the organisation's city talk about."""
    local: list[str] = _topics()["here"]
    return local


def read_threads(sources: list[Source]) -> list[Thread]:
    """Threads of files.

    Raises:
        SourceError: for each thread that has not the right form.
    """
    threads: list[Thread] = []
    mistakes: list[Mistake] = []
    for source in sources:
        for i, value in enumerate(source.value.get("threads") or []):
            try:
                threads.append(_thread(value))
            except ValueError as error:
                mistakes.append(Mistake(source.place(("threads", i)), str(error)))
    _twice([t.id for t in threads], "thread", mistakes)
    if mistakes:
        raise SourceError(mistakes)
    return threads


def read_texts(sources: list[Source]) -> list[Piece]:
    """Texts of files.

    Raises:
        SourceError: for each text that has not the right form.
    """
    texts: list[Piece] = []
    mistakes: list[Mistake] = []
    for source in sources:
        for i, value in enumerate(source.value.get("texts") or []):
            place = source.place(("texts", i))
            if not isinstance(value, dict) or not {"id", "kind", "lang"} <= value.keys():
                mistakes.append(Mistake(place, "a text has id, kind, topic, lang, title and text"))
            elif unknown := value.keys() - _TEXT_FIELDS:
                known = ", ".join(sorted(_TEXT_FIELDS))
                mistakes.append(Mistake(place, f"{', '.join(unknown)} is not known here; known: {known}"))
            else:
                texts.append(
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
    _twice([t.id for t in texts], "text", mistakes)
    if mistakes:
        raise SourceError(mistakes)
    return texts


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
        raise ValueError(
            f"{value['id']}: {', '.join(unknown)} is not known here; known: {', '.join(sorted(_THREAD_FIELDS))}"
        )
    if value.get("flow", "replies") not in FLOWS:
        raise ValueError(f"{value['id']}: flow {value['flow']!r} is none of {', '.join(FLOWS)}")
    turns = [_turn(value["id"], turn) for turn in value["turns"]]
    when = value.get("when") or {}
    days = [_DAYS.index(d) for d in when.get("days", _DAYS)]
    hours = None
    if "hours" in when:
        low, _, high = str(when["hours"]).partition("-")
        hours = (int(low.partition(":")[0]), int(high.partition(":")[0]))
    cast = {letter: frozenset([w] if isinstance(w, str) else w) for letter, w in (value.get("cast") or {}).items()}
    for wanted in cast.values():
        if unknown := {w for w in wanted if ":" in w and w not in _DEMANDS}:
            raise ValueError(f"{value['id']}: {unknown.pop()!r} is no demand; these are: {', '.join(sorted(_DEMANDS))}")
    first = turns[0].letter
    if value["topic"] in openers() and not cast.get(first, frozenset()) - _DEMANDS:
        cast[first] = cast.get(first, frozenset()) | frozenset(openers()[value["topic"]])
    where = value.get("where")
    if where not in (None, "here", "anywhere"):
        raise ValueError(f"{value['id']}: where: {where!r} is neither here nor anywhere")
    here = value["topic"] in local_topics() or any(_ROOMS.search(turn.text) for turn in turns)
    return Thread(
        str(value["id"]), value["topic"], value["lang"], value.get("flow", "replies"), tuple(turns), cast,
        {turn.letter: _languages(turn.letter, turns) for turn in turns},
        frozenset(days), frozenset(when.get("months", range(1, 13))), hours,
        here if where is None else where == "here", int(value.get("received", 0)),
    )  # fmt: skip


def _turn(thread: Any, value: Any) -> Turn:
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError(f'{thread}: a turn is one `a +4m: "text"`')
    ((head, content),) = value.items()
    match = re.fullmatch(r"([a-z])(?: \+([\dsmhd]+))?((?: [a-z]+(?:=[\dsmhd]+)?)*)", head)
    attachments = dict(content) if isinstance(content, dict) else {"text": content}
    text = attachments.pop("text", "")
    flags = match[3].split() if match else []
    if (
        match is None
        or not isinstance(text, str)
        or not (text or attachments)
        or not _MESSAGE_FORMS.issuperset(attachments)
    ):
        raise ValueError(
            f"{thread}: {head!r} is no `letter +delay` with a text, or with {', '.join(sorted(_MESSAGE_FORMS))}"
        )
    if wrong := [flag for flag in flags if not _FLAGS.fullmatch(flag)]:
        raise ValueError(f"{thread}: {wrong[0]!r} is none of recalled, edited=40s, new")
    return Turn(match[1], match[2] or "", " ".join(flags), text, attachments)


def _languages(letter: str, turns: list[Turn]) -> frozenset[str]:
    spoken = " ".join(_BRACED.sub("", turn.text) for turn in turns if turn.letter == letter)
    needed = {"zh"} if HAN.search(spoken) else set()
    return frozenset(needed | {"en"} if len(_WORD.findall(spoken)) > 2 else needed)


class Texts:
    """Pieces by kind, each handed out once; then, where `again` allows it, once more."""

    def __init__(self, pieces: list[Piece], seed: int, *, again: bool) -> None:
        self._pieces: dict[str, list[Piece]] = {}
        for piece in pieces:
            self._pieces.setdefault(piece.kind, []).append(piece)
        self._left = {kind: Draw(seed, "texts", kind).shuffled(of_kind) for kind, of_kind in self._pieces.items()}
        self._seed = seed
        self._again = again
        self._rounds: dict[str, int] = {}

    def take(self, kind: str, topics: list[str] | None, person: Draft | None) -> Piece | None:
        """A piece of a kind that this person would have, about one of these topics; None when there is none left."""
        piece = self._take(kind, topics, person)
        if piece is None and self._again and kind in self._pieces:
            self._rounds[kind] = self._rounds.get(kind, 0) + 1
            self._left[kind] = Draw(self._seed, "texts", kind, self._rounds[kind]).shuffled(self._pieces[kind])
            piece = self._take(kind, topics, person)
        return piece

    def take_all(self, kind: str, topic: str) -> list[Piece]:
        """Every piece of a kind about a topic that has not been handed out yet."""
        pieces = [piece for piece in self._left.get(kind, []) if piece.topic == topic]
        self._left[kind] = [piece for piece in self._left.get(kind, []) if piece.topic != topic]
        return pieces

    def _take(self, kind: str, topics: list[str] | None, person: Draft | None) -> Piece | None:
        left = self._left.get(kind, [])
        for i in range(len(left) - 1, -1, -1):
            piece = left[i]
            if (not topics or piece.topic in topics) and (person is None or fits(piece.lang, piece.by, person)):
                return left.pop(i)
        return None


def fits(lang: str, wanted: frozenset[str], person: Draft) -> bool:
    """Return whether a person can speak a text.

    The person must write its language, be in one of the wanted teams or have one of the traits, and meet every demand.
    """
    languages = person.values["languages"]
    if (lang == "zh" and "zh" not in languages) or (lang == "en" and "en" not in languages):
        return False
    if lang == "mixed" and "zh" not in languages and "en" not in languages:
        return False
    if not all(_meets(person, demand) for demand in wanted & _DEMANDS):
        return False
    any_of = wanted - _DEMANDS
    return (
        not any_of
        or "any" in any_of
        or person.values["team"] in any_of
        or not any_of.isdisjoint(person.values["traits"])
    )


def _meets(person: Draft, demand: str) -> bool:
    what, _, lang = demand.partition(":")
    match what:
        case "here":
            return bool(person.values["here"])
        case "away":
            return not person.values["here"]
        case "native":
            return bool(person.values["languages"][0] == lang)
        case _:
            return bool(person.values["languages"][0] != lang)
