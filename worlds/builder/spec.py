"""The form of a world's spec. `docs/worlds.md` explains it; `read_spec` reads it with everything it includes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Required
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from soundstage.bounded_input import Place as SourcePlace
from soundstage.contexts.engine.clock import parse_moment
from soundstage.source import Mistake, Source, SourceError, checked, read, wording


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise ValueError(f"unknown time zone {name!r}; write it like Asia/Shanghai") from None
    return name


def _hours(text: str) -> str:
    start, _, end = text.partition("-")
    try:
        if minutes(start) < minutes(end):
            return text
    except ValueError:
        pass
    raise ValueError(f"{text!r} are no hours; write them like 09:30-18:30")


def _moment(text: str) -> str:
    parse_moment(text)
    return text


def minutes(time: str) -> int:
    """`09:30` as minutes since midnight."""
    hour, minute = time.split(":")
    if not (0 <= int(hour) <= 24 and 0 <= int(minute) < 60):
        raise ValueError(f"{time!r} is no time of day")
    return int(hour) * 60 + int(minute)


Zone = Annotated[str, AfterValidator(_zone)]
Hours = Annotated[str, AfterValidator(_hours)]
Moment = Annotated[str, AfterValidator(_moment)]
"""Local to the world unless it carries an offset."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Organisation(_Model):
    """The organisation in which a world's people work."""

    name: str
    founded: Moment | None = None  # earliest joining date
    domain: str
    city: str = ""
    rooms: list[str] = []
    teams: dict[str, str]  # key → title


Percent = Annotated[int, Field(ge=0, le=100, strict=True)]
Own = Literal["ok", "thanks", "laugh", "agree", "sorry", "wrong"]
"""Phrases that each person words individually; `wrong` follows a message sent to the wrong chat."""


class Voice(_Model):
    """A person's style of writing, applied to corpus text but never to the literal text of a storyline.

    Without it, a person writes the corpus text unchanged.
    """

    length: Literal["short", "medium", "long"] = "medium"  # the usual message length, used for casting
    contractions: Percent = 0  # of messages with "it is" or "do not"
    stops: Percent | None = None  # of messages that end in a full stop; without it, as the corpus has them
    lower: bool = False
    emoji: list[str] = []
    emoji_percent: Percent = 0
    fillers: list[str] = []  # `hmm, ~` and `~ haha`
    filler_percent: Percent = 0
    slips: Percent = 0  # of messages with a typing slip, which is put right, edited away or left
    splits: Percent = 0  # of messages of several sentences that are sent as two
    answers: Literal["quick", "steady", "slow"] = "steady"
    switches: Percent = 0  # of their individual phrases that are in their other language
    says: dict[Own, list[str]] = {}


class Person(_Model):
    """A person of the world's cast."""

    name: str
    latin: str = ""  # the name in Latin letters, where `name` is not
    role: str
    team: str
    languages: list[Literal["en", "zh"]] = ["en"]
    zone: Zone | None = None
    city: str | None = None  # their work place, if it is not the organisation's city
    hours: Hours = "09:30-18:30"
    joined: Moment
    left: Moment | None = None
    starts: Moment | None = None  # signed, but not there yet
    email: str | None = None
    phone: str | None = None
    traits: list[str] = []
    interests: list[str] = []
    about: str = ""
    habits: list[str] = []
    voice: Voice = Voice()
    talks: int = 10  # how much, compared with the others
    own_diary: bool = False  # the spec lists all their future events: no meetings are generated after the epoch
    accounts: dict[str, dict[str, Any] | None] = {}  # app → attributes; null: no account there


class Outsider(_Model):
    """A person outside the organisation, who exists only in the apps of their accounts."""

    name: str
    languages: list[Literal["en", "zh"]] = ["zh"]
    interests: list[str] = []
    joined: Moment
    accounts: dict[str, dict[str, Any]]
    voice: Voice = Voice()


class Feed(_Model):
    """Public posts of an app: their topics, and the number that the signed-in user has not read."""

    topics: list[str] = []  # in this order, until there are as many posts as `sizes` asks for
    authors: dict[str, list[str]] = {}  # people of the cast who post → topics; outsiders have their interests
    accounts: dict[str, dict[str, Any] | None] = {}  # in addition to the spec's `accounts` of the cast; null: none
    unread: dict[str, int] = {}  # list of notices → how many are new
    voice: Voice = Voice()  # how comments are written by those whose own voice has no signs


class Bot(_Model):
    """A bot, with its account in each app."""

    name: str
    created: Moment
    accounts: dict[str, dict[str, Any]]


class Place(_Model):
    """A destination of messages: a group, a channel, a chat of two people."""

    app: str
    name: str = ""
    text: str = ""
    topic: str = ""
    form: Literal["group", "direct", "bot"] = "group"
    private: bool = False
    archived: bool = False
    read: Moment | None = None  # how far the world's user has read; without it, everything
    owner: str | None = None
    members: list[str] = []  # people, `team:design` or `everybody`
    without: list[str] = []
    former: list[str] = []  # former members, who may have written messages then
    bots: list[str] = []
    created: Moment
    topics: list[str] = []
    share: int = 0  # of the conversations that fill the world up
    languages: list[Literal["en", "zh", "mixed"]] = ["en", "zh", "mixed"]
    also: dict[str, Any] = {}


class Calendar(_Model):
    """A calendar of an app and its events."""

    app: str
    owner: str
    title: str
    text: str = ""
    created: Moment
    also: dict[str, Any] = {}


class Fill(TypedDict, total=False):
    """How records of a table are made up."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]
    by: str  # their creators, such as `team:qa`
    begin: Moment
    rows: int  # the number of records; by default the number in `sizes`, divided among the tables by `share`
    share: int
    corpus: str  # the kind of corpus text that each record has its `title` and `text` from
    cells: Required[dict[str, Any]]  # column → how it is filled


class Table(_Model):
    """A table of a base."""

    title: str
    view: str = "All"
    columns: list[dict[str, Any]]
    records: list[dict[str, Any]] = []
    fill: Fill | None = None


class Base(_Model):
    """A base: tables of records in one app."""

    app: str
    owner: str
    title: str
    text: str = ""
    icon: str | None = None
    under: str | None = None  # the page that contains it, as `space/page`
    created: Moment
    tables: dict[str, Table] = Field(min_length=1)
    share: dict[str, str] = {}


class Space(_Model):
    """A space of pages in one app."""

    app: str
    owner: str
    title: str
    text: str = ""
    created: Moment
    pages: list[dict[str, Any]] = []


class Routine(_Model):
    """A recurring event: messages of a bot, or of a person with a habit."""

    app: str
    kind: Literal["message"] = "message"
    place: str
    by: str
    at: Annotated[str, AfterValidator(lambda t: (minutes(t), t)[1])]
    days: list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]] = ["mon", "tue", "wed", "thu", "fri"]
    every: int = 1  # on every n-th of these days
    holidays: bool = True  # also on public holidays
    since: Moment | None = None
    until: Moment | None = None
    title: str | None = None
    texts: list[str]
    counters: dict[str, dict[str, int]] = {}  # name → {start, low, high}: numbers that go on
    answers: list[dict[str, str]] = []
    percent: int = 100


class Bound(_Model):
    """The range that a measured figure of the world must be in."""

    low: float | None = None
    high: float | None = None


class Sizes(_Model):
    """The amount of people, places and rows that the builder adds to the sources."""

    people: int = 0
    places: dict[str, int] = {}  # app → number of places, named after the topics of the corpora
    rows: dict[str, dict[str, int]] = {}  # app → entity → minimum number of rows
    again: bool = False  # whether a corpus text may be used more than once


class Spec(_Model):
    """One world. Every file that `include` names adds to the sections below."""

    world: str
    title: str
    description: str
    seed: int
    epoch: Moment
    days: int = Field(gt=0)
    ahead: int = 30
    zone: Zone = "Asia/Shanghai"
    holidays: list[str] = []  # non-working days, such as 2026-10-01
    home: str  # the app of traces that name none
    user: str  # the person whose accounts the agent uses
    organisation: Organisation
    writer: Literal["corpus", "model"] = "model"
    accounts: dict[str, dict[str, Any]]
    cast: dict[str, Person]
    outsiders: dict[str, Outsider] = {}
    feeds: dict[str, Feed] = {}
    bots: dict[str, Bot] = {}
    places: dict[str, Place] = {}
    calendars: dict[str, Calendar] = {}
    bases: dict[str, Base] = {}
    spaces: dict[str, Space] = {}
    routines: dict[str, Routine] = {}
    traces: list[dict[str, Any]] = []  # dated things that belong to no storyline
    vocabulary: dict[str, list[str]] = {}
    sizes: Sizes = Sizes()
    bounds: dict[str, Bound] = {}
    dangling: list[str] = []  # references that lead nowhere on purpose: `app.entity.column`

    def moment(self, text: str) -> int:
        """Parse a time of the spec into ms since 1970."""
        time = datetime.fromisoformat(text)
        if time.tzinfo is None:
            time = time.replace(tzinfo=ZoneInfo(self.zone))
        return int(time.astimezone(UTC).timestamp()) * 1000

    @property
    def epoch_ms(self) -> int:
        """Return the world's epoch in milliseconds since 1970."""
        return self.moment(self.epoch)

    @property
    def begin_ms(self) -> int:
        """The start of the world's history."""
        return self.epoch_ms - self.days * 86_400_000


class Storyline(_Model):
    """A sequence of beats in which the same people take part."""

    storyline: str
    title: str
    about: str
    people: list[str]
    beats: list[dict[str, Any]]


class Beat(_Model):
    """One event of a storyline, and the traces that it leaves in apps."""

    at: Moment
    what: str
    traces: list[dict[str, Any]]


class Sources(BaseModel):
    """A spec with the files it came from, for naming the place of a mistake."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    spec: Spec
    folder: Path
    placed: dict[str, tuple[Source, SourcePlace]]  # `section.key` → its place in the sources
    storylines: list[tuple[Storyline, Source]]
    threads: list[Source]
    texts: list[Source]
    files: list[str]  # all that was read, below `folder`

    def place(self, section: str, key: str, *path: str | int) -> str:
        """Return the file and path of an entry, for messages about it."""
        place = self.placed.get(f"{section}.{key}") or self.placed.get(section)
        if place is None:
            return section
        source, inner = place
        return source.place((*inner, *path))


def read_spec(path: Path) -> Sources:
    """Read a spec and the files that it includes.

    `include` lists files and globs relative to it. A file that starts with `storyline`, `threads` or `texts` is of that kind;
    any other adds to the spec's sections.

    Raises:
        SourceError: contains every mistake of form, each with its file and line.
    """
    root = read(path)
    if not isinstance(root.value, dict):
        raise SourceError([Mistake(root.place(), "expected a spec: `world: …`, `title: …` and so on")])
    merged: dict[str, Any] = {}
    placed: dict[str, tuple[Source, SourcePlace]] = {}
    storylines: list[tuple[Storyline, Source]] = []
    threads: list[Source] = []
    texts: list[Source] = []
    mistakes: list[Mistake] = []
    included = _included(path, root, mistakes)
    for source in [root, *included]:
        if not isinstance(source.value, dict):
            mistakes.append(Mistake(source.place(), "expected named sections"))
        elif "storyline" in source.value:
            try:
                storylines.append((checked(Storyline, source.value, source), source))
            except SourceError as error:
                mistakes += error.mistakes
        elif "threads" in source.value:
            threads.append(source)
        elif "texts" in source.value:
            texts.append(source)
        else:
            _merge(source, merged, placed, mistakes)
    merged.pop("include", None)
    try:
        spec = Spec.model_validate(merged)
    except ValidationError as error:
        mistakes += [_from_pydantic(error_, placed, root) for error_ in error.errors()]
    if mistakes:
        raise SourceError(mistakes)
    return Sources(
        spec=spec,
        folder=path.parent,
        placed=placed,
        storylines=storylines,
        threads=threads,
        texts=texts,
        files=[path.name, *(source.name for source in included)],
    )


def _included(path: Path, root: Source, mistakes: list[Mistake]) -> list[Source]:
    sources: list[Source] = []
    patterns = root.value.get("include") or []
    if not isinstance(patterns, list):
        mistakes.append(Mistake(root.place(("include",)), "expected a list of files and globs, such as [people.yaml]"))
        return []
    for i, pattern in enumerate(patterns):
        place = root.place(("include", i))
        if not isinstance(pattern, str) or Path(pattern).is_absolute() or ".." in Path(pattern).parts:
            mistakes.append(Mistake(place, f"{pattern!r} is no file or glob below the spec's folder"))
            continue
        try:
            files = sorted(path.parent.glob(pattern))
        except ValueError as error:
            mistakes.append(Mistake(place, f"{pattern!r} is no glob ({error})"))
            continue
        if not files:
            mistakes.append(Mistake(place, f"no file fits {pattern!r}"))
        if path in files:
            mistakes.append(Mistake(place, f"{pattern!r} is the spec itself, which cannot include itself"))
            continue
        for file in files:
            try:
                sources.append(read(file, file.relative_to(path.parent).as_posix()))
            except SourceError as error:
                mistakes += error.mistakes
    return sources


def _merge(
    source: Source, merged: dict[str, Any], placed: dict[str, tuple[Source, SourcePlace]], mistakes: list[Mistake]
) -> None:
    for section, value in source.value.items():
        if section not in merged:
            placed[section] = (source, (section,))
        if isinstance(value, dict):
            into = merged.setdefault(section, {})
            for key, item in value.items():
                if key in into:
                    mistakes.append(Mistake(source.place((section, key)), "is given in two files"))
                into[key] = item
                placed[f"{section}.{key}"] = (source, (section, key))
        elif isinstance(value, list) and section != "include":
            start = len(merged.setdefault(section, []))
            merged[section] += value
            placed |= {f"{section}.{start + i}": (source, (section, i)) for i in range(len(value))}
        elif section in merged:
            mistakes.append(Mistake(source.place((section,)), "is given in two files"))
        else:
            merged[section] = value


def _from_pydantic(error: Any, placed: Mapping[str, tuple[Source, SourcePlace]], root: Source) -> Mistake:
    loc: SourcePlace = tuple(error["loc"])
    origin = placed.get(f"{loc[0]}.{loc[1]}") if len(loc) > 1 else None
    if origin is not None:
        source, inner = origin
        return Mistake(source.place((*inner, *loc[2:])), wording(dict(error), Spec))
    source, inner = placed.get(str(loc[0]), (root, loc[:1]))
    return Mistake(source.place((*inner, *loc[1:])), wording(dict(error), Spec))
