"""Declarations of how a world's builder fills a column; `rows` carries them out.

Values are made in four ways (MCP-Persona §3.2): `enumerate`, `random`, `free_form` and `authentic`. The other fillers place a
value that the builder already has: an attribute of a person, message or event (`of`, `key`, `moment`), in the nesting and
wording of the real API (`shape`, `case`, `text` …). A column without a filler takes the attribute with its name, and an id
format is a random filler; `worlds/apps/` declares the other fillers with the helpers below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Unit = Literal["ms", "s", "us", "hex", "iso", "iso-s", "iso-z", "local", "date", "utc-date", "mail", "snowflake"]

SNOWFLAKE_EPOCH_MS, SNOWFLAKE_BITS = 1_420_070_400_000, 22
"""Ids that contain a time: milliseconds since 2015, shifted left by this many random bits."""


@dataclass(frozen=True, slots=True)
class Enumerate:
    """One of some values, each with its weight."""

    choices: tuple[tuple[Any, int], ...]


@dataclass(frozen=True, slots=True)
class Random:
    """Characters by an id template, or a whole number from `low` to `high` in steps."""

    template: str | None = None
    low: int = 0
    high: int = 0
    step: int = 1
    once: str | None = None  # a name: the same value in every row of the app that names it
    per: str | None = None  # an attribute: the same value in every row where it names the same


@dataclass(frozen=True, slots=True)
class FreeForm:
    """Text of a kind, about the row's topic, in the voice and language of its author. `part` is "text" or "title"."""

    kind: str
    part: str = "text"
    topic: str | None = None
    words: tuple[int, int] = (1, 400)


@dataclass(frozen=True, slots=True)
class Authentic:
    """Text that people wrote, drawn from a corpus, with identities masked."""

    corpus: str
    part: str = "text"


@dataclass(frozen=True, slots=True)
class Of:
    """An attribute of the row's draft, such as `title` or `place.owner.name`."""

    name: str
    otherwise: Any = None  # a filler for rows without the attribute


@dataclass(frozen=True, slots=True)
class Key:
    """The id, in this app, of the draft that an attribute names.

    If it names none, a draft of `kind` that exists by then is drawn.
    """

    name: str
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """A time attribute, in the API's format."""

    name: str
    unit: Unit = "ms"
    as_text: bool = True
    otherwise: Any = None


@dataclass(frozen=True, slots=True)
class Text:
    """An attribute that is text, with references in it as the app writes them: `{name}`, `{id}`, `{n}` and `{url}`."""

    name: str
    mention: str = "@{name}"
    link: str = "{url}"


@dataclass(frozen=True, slots=True)
class Shape:
    """A JSON object. A field whose filler yields nothing is left out."""

    fields: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A JSON list with one item for each element of an attribute; inside, `it` is the element."""

    name: str
    item: Any


@dataclass(frozen=True, slots=True)
class Pieces:
    """A JSON list with one item for each piece of a text that looks the same all through.

    Inside, `it.form` is `plain`, `mention` or `link`, `it.text` what is read, `it.target` who or what is meant, `it.url`
    its address, and `it.bold`, `it.italic`, `it.code` and `it.strike` how it looks.
    """

    name: str
    item: Any


@dataclass(frozen=True, slots=True)
class Several:
    """A JSON list of these fillers' values one after the other; lists are put end to end."""

    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A filler chosen by the value of an attribute, with `otherwise` as the default."""

    name: str
    cases: tuple[tuple[Any, Any], ...]
    otherwise: Any = None


@dataclass(frozen=True, slots=True)
class JsonText:
    """JSON as a string, as some APIs nest it."""

    inner: Any


@dataclass(frozen=True, slots=True)
class Form:
    """Text with `{column}`, `{attribute}` or `{part}` of the same row in it.

    `{title|slug}` is its ASCII words with a hyphen behind each, `{title|snake}` the same in lower case between underscores (fifty
    characters at most), `{id|bare}` its letters and digits.
    """

    template: str
    parts: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Entries:
    """A JSON object with an entry for each element of `over` that has a value in the attribute `name` (a map by its name).

    Inside, `it.of` is the element and `it.value` what it has.
    """

    name: str
    over: str
    value: Any


@dataclass(frozen=True, slots=True)
class Cell:
    """A column of the row of the draft that an attribute names."""

    name: str
    column: str


@dataclass(frozen=True, slots=True)
class Joined:
    """A list's values as one text."""

    inner: Any
    between: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A whole number as text; from `above` on in tenths of it, with its sign: 1.2万."""

    inner: Any
    above: int | None = None
    sign: str = ""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text's bytes in base64: `base64`, or in the alphabet for addresses, `base64url`."""

    inner: Any
    alphabet: Literal["base64", "base64url"]


@dataclass(frozen=True, slots=True)
class Shortened:
    """A text's first letters up to the end of a word, its lines joined."""

    inner: Any
    letters: int


@dataclass(frozen=True, slots=True)
class Count:
    """How many of a kind name this one in an attribute; `as_flag`: whether any does."""

    kind: str
    name: str
    as_flag: bool = False


@dataclass(frozen=True, slots=True)
class Ordinal:
    """A row's number among those of its entity, in their order; the first one has `first`."""

    first: int = 1


Filler = (
    Enumerate
    | Random
    | FreeForm
    | Authentic
    | Of
    | Key
    | Moment
    | Text
    | Shape
    | Items
    | Pieces
    | Several
    | Case
    | JsonText
    | Form
    | Entries
    | Cell
    | Joined
    | Figure
    | Encoded
    | Shortened
    | Count
    | Ordinal
)


def enumerate(*values: Any, weights: Mapping[Any, int] | None = None) -> Enumerate:
    """One of these values, equally likely or by `weights`."""
    chosen = weights if weights is not None else dict.fromkeys(values, 1)
    return Enumerate(tuple(chosen.items()))


def random(
    template: str | None = None, *, low: int = 0, high: int = 0, step: int = 1, per: str | None = None
) -> Random:
    """Characters by an id template such as `t{digits:7}`, or a whole number between two bounds."""
    return Random(template, low, high, step, per=per)


def once(name: str, template: str, *, per: str | None = None) -> Random:
    """Random characters, the same wherever the app asks for this name (with `per`: for this name and the same thing)."""
    return Random(template, once=name, per=per)


def free_form(
    kind: str, *, part: str = "text", topic: str | None = None, words: tuple[int, int] = (1, 400)
) -> FreeForm:
    """Text of a kind; see `docs/worlds.md` for the kinds."""
    return FreeForm(kind, part, topic, words)


def authentic(corpus: str, *, part: str = "text") -> Authentic:
    """Fill with text drawn from a corpus of human-written texts with masked identities."""
    return Authentic(corpus, part)


def of(name: str, otherwise: Any = None) -> Of:
    """An attribute, or `otherwise` (a value or another helper) where there is none."""
    return Of(name, _inner(otherwise))


def always(value: Any) -> Enumerate:
    """The same value in every row."""
    return Enumerate(((value, 1),))


def key(name: str, kind: str | None = None) -> Key:
    """Fill with the id, in this app, of the named draft; without one, draw from those of `kind` that exist by then."""
    return Key(name, kind)


def moment(name: str, unit: Unit = "ms", *, as_text: bool = True, otherwise: Any = None) -> Moment:
    """Fill with a time in the given unit.

    Units: `ms` or `s` since 1970 (as text or number), `us` (seconds with six decimals), `iso` in UTC, `iso-s` in whole seconds
    and with `+0000`, `iso-z` with `Z`, `local` with its offset, `mail` as in a Date header, a calendar `date`, or a
    `snowflake`, an id that contains the time.
    """
    return Moment(name, unit, as_text, _inner(otherwise))


def text(name: str = "text", *, mention: str = "@{name}", link: str = "{url}") -> Text:
    """Text whose references to people and things read as in the app."""
    return Text(name, mention, link)


def shape(**fields: Any) -> Shape:
    """A JSON object of these fields, each a helper's or a plain value."""
    return Shape(tuple((name, _inner(value)) for name, value in fields.items()))


def items(name: str, item: Any) -> Items:
    """A JSON list over a list or over a text's lines; inside, `it` is the element and `index` its place from 0."""
    return Items(name, _inner(item))


def pieces(name: str, item: Any) -> Pieces:
    """A JSON list over a text's pieces of one look each; inside, `it` is the piece (see `Pieces`)."""
    return Pieces(name, _inner(item))


def several(*parts: Any) -> Several:
    """A JSON list of values and lists, one after the other."""
    return Several(tuple(_inner(part) for part in parts))


def case(name: str, cases: Mapping[Any, Any], otherwise: Any = None) -> Case:
    """A filler by an attribute's value; `present` and `absent` are the cases of having a value at all."""
    return Case(name, tuple((value, _inner(filler)) for value, filler in cases.items()), _inner(otherwise))


def json_text(inner: Any) -> JsonText:
    """JSON as a string."""
    return JsonText(_inner(inner))


def form(template: str, **parts: Any) -> Form:
    """Text with other columns or attributes of the row in it, or parts that are filled in their own way."""
    return Form(template, tuple((name, _inner(part)) for name, part in parts.items()))


def entries(name: str, *, over: str, value: Any) -> Entries:
    """A JSON object of a map's values, by the names of the things in `over`."""
    return Entries(name, over, _inner(value))


def cell(name: str, column: str) -> Cell:
    """Fill with the value of a column in the row of the draft that the attribute names."""
    return Cell(name, column)


def joined(inner: Any, between: str = " ") -> Joined:
    """A list as one text."""
    return Joined(_inner(inner), between)


def figure(inner: Any, *, above: int | None = None, sign: str = "") -> Figure:
    """A whole number as text, large ones in tenths of `above` with a sign."""
    return Figure(_inner(inner), above, sign)


def encoded(inner: Any, alphabet: Literal["base64", "base64url"] = "base64url") -> Encoded:
    """A text's bytes in base64."""
    return Encoded(_inner(inner), alphabet)


def shortened(inner: Any, letters: int) -> Shortened:
    """A text's first letters, up to the end of a word."""
    return Shortened(_inner(inner), letters)


def count(kind: str, name: str, *, as_flag: bool = False) -> Count:
    """How many of a kind name this one in an attribute."""
    return Count(kind, name, as_flag)


def ordinal(first: int = 1) -> Ordinal:
    """A row's number among those of its entity, in their order: for ids that only count."""
    return Ordinal(first)


def _inner(value: Any) -> Filler | None:
    """A filler, or a plain value as the filler that always gives it; None gives nothing."""
    return value if value is None or isinstance(value, Filler) else Enumerate(((value, 1),))
