"""Parsing of untrusted JSON and YAML within limits: the result is a value, or one refusal with its reason.

Specs, schedules, request bodies and answers of models are all read here, so this module is below every layer and imports none.
YAML is read event by event: input over a limit is refused before a value is built, and an alias counts with all of its content.
Scalars are strings, numbers, true, false and null only: no dates, no `yes`, no 10:30 that means 630. Mapping keys are text.
JSON is a subset of this YAML.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    import yaml  # at run time it is imported where YAML is read, which few processes do

Place = tuple[str | int, ...]
Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Limits:
    """The upper limits of a document: bytes, values (members, items and the content of aliases count), levels of nesting."""

    size: int
    values: int
    depth: int


JSON_LIMITS = Limits(size=256 * 2**20, values=20_000_000, depth=200)
SPEC_LIMITS = Limits(size=4 * 2**20, values=250_000, depth=40)
SCHEDULE_LIMITS = Limits(size=256 * 2**10, values=10_000, depth=24)
"""Schedules are parsed while agents wait for their answers, so they must be small."""


class Refused(ValueError):
    """Input was refused. `problem` continues after the input's name ("is nested too deeply …"); `line` is the line, if known."""

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem if line is None else f"{problem} (line {line})")
        self.problem = problem
        self.line = line


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML value with the line of each place in it; an empty text has no lines.

    `repeated` lists duplicate keys with their lines; the value has the last of each.
    """

    value: Any
    lines: dict[Place, int] = field(repr=False)
    repeated: list[tuple[Place, int]]


def show_place(place: Place) -> str:
    """Return a place in the form `beats[2].at`."""
    shown = ""
    for part in place:
        shown += f"[{part}]" if isinstance(part, int) else f".{part}" if shown else part
    return shown


def file_bytes(path: Path, limits: Limits) -> bytes:
    """Return the content of a file, and read no more than the limit.

    Raises:
        Refused: The file is too large.
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(limits.size + 1)
    _check_size(data, limits)
    return data


def decompressed(data: bytes, most: int) -> bytes:
    """Decompress zlib data of at most `most` bytes; no more memory is used, whatever the data would expand to.

    Raises:
        Refused: The data is damaged, incomplete, or larger when decompressed.
    """
    decompressor = zlib.decompressobj()
    try:
        content = decompressor.decompress(data, most + 1)
    except zlib.error as error:
        raise Refused(f"is not zlib data ({error})") from None
    if len(content) > most:
        raise Refused(f"is too large when decompressed; the limit is {most:,} bytes")
    if not decompressor.eof:
        raise Refused("is incomplete zlib data")
    return content


def read_json(data: bytes | str, limits: Limits = JSON_LIMITS) -> Any:
    """Parse a JSON value.

    Raises:
        Refused: The input is not JSON, or exceeds a limit.
    """
    text = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    _check_size(text, limits)
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise Refused(f"is not valid JSON ({error.msg}, column {error.colno})", error.lineno) from None
    opened = text.count(b"[") + text.count(b"{")
    if opened > limits.depth or opened + text.count(b",") > limits.values // 2:
        check_value(value, limits)
    return value


def check_value(value: object, limits: Limits) -> None:
    """Refuse a parsed value that exceeds a limit.

    Raises:
        Refused: The value has too many values or levels.
    """
    level, values, depth = [value], 1, 0
    while level:
        below: list[object] = []
        for each in level:
            if isinstance(each, dict):
                below.extend(each.values())
            elif isinstance(each, list):
                below.extend(each)
        values += len(below)
        if values > limits.values:
            raise _too_many(limits, None)
        if below and (depth := depth + 1) > limits.depth:
            raise _too_deep(limits, None)
        level = below


def read_yaml(data: bytes | str, limits: Limits) -> Document:
    """Parse a YAML document.

    Raises:
        Refused: The input is not YAML, uses a form that this module does not accept, or exceeds a limit.
    """
    import yaml

    text = _utf8(data)
    _check_size(text, limits)
    try:
        return _Reader(text.decode(), limits).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise Refused(f"is not valid YAML: {error.problem}", None if mark is None else mark.line + 1) from None
    except yaml.YAMLError as error:
        raise Refused(f"is not valid YAML: {error}") from None


@dataclass(slots=True)
class _Made:
    """A value with its size: the number of values in it, itself included, and the levels below it."""

    value: Any
    values: int = 1
    levels: int = 0


class _Reader:
    """Builds one document from the events of a YAML parser."""

    def __init__(self, text: str, limits: Limits) -> None:
        import yaml

        # libyaml is ten times as fast and gives the same events; the pure Python parser is for builds of PyYAML without it.
        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self._events: Iterator[yaml.Event] = yaml.parse(text, Loader=loader)
        self._limits = limits
        self._values = 0
        self._anchors: dict[str, _Made | None] = {}  # None: not complete yet
        self._lines: dict[Place, int] = {}
        self._repeated: list[tuple[Place, int]] = []

    def document(self) -> Document:
        import yaml

        value, documents = None, 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise Refused("has several documents; only one is accepted", _line(event))
            elif isinstance(event, yaml.NodeEvent):
                value = self._made(event, (), 0).value
        # A text without content is a document with an empty scalar, or no document.
        return Document(value, self._lines, self._repeated)

    def _made(self, event: yaml.Event, place: Place, depth: int) -> _Made:
        import yaml

        line = _line(event)
        self._lines.setdefault(place, line)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(str(event.anchor), depth, line)
        if depth > self._limits.depth:
            raise _too_deep(self._limits, line)
        self._count(1, line)
        anchor = getattr(event, "anchor", None)
        if anchor is not None:
            self._anchors[anchor] = None
        if isinstance(event, yaml.ScalarEvent):
            made = _Made(_scalar(event, line))
        elif isinstance(event, yaml.MappingStartEvent):
            _check_tag(event.tag, line)
            made = self._mapping(place, depth)
        else:
            assert isinstance(event, yaml.SequenceStartEvent)
            _check_tag(event.tag, line)
            made = self._sequence(place, depth)
        if anchor is not None:
            self._anchors[anchor] = made
        return made

    def _mapping(self, place: Place, depth: int) -> _Made:
        import yaml

        members: dict[str, Any] = {}
        made = _Made(members)
        for key in self._events:
            if isinstance(key, yaml.MappingEndEvent):
                break
            line = _line(key)
            if not isinstance(key, yaml.ScalarEvent):
                raise Refused("has a key that is not text", line)
            name, below = key.value, (*place, key.value)
            if name in members:
                self._repeated.append((below, line))
            self._lines[below] = line
            inner = self._made(next(self._events), below, depth + 1)
            members[name] = inner.value
            made.values += inner.values
            made.levels = max(made.levels, inner.levels + 1)
        return made

    def _sequence(self, place: Place, depth: int) -> _Made:
        import yaml

        items: list[Any] = []
        made = _Made(items)
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            inner = self._made(event, (*place, len(items)), depth + 1)
            items.append(inner.value)
            made.values += inner.values
            made.levels = max(made.levels, inner.levels + 1)
        return made

    def _alias(self, name: str, depth: int, line: int) -> _Made:
        if name not in self._anchors:
            raise Refused(f"has an alias *{_brief(name)} without its anchor", line)
        made = self._anchors[name]
        if made is None:
            raise Refused(f"has an alias *{_brief(name)} inside its own value", line)
        if depth + made.levels > self._limits.depth:
            raise _too_deep(self._limits, line)
        self._count(made.values, line)
        return made

    def _count(self, values: int, line: int) -> None:
        self._values += values
        if self._values > self._limits.values:
            raise _too_many(self._limits, line)


_INT = re.compile(r"-?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}
_LONGEST_NUMBER = 40
_TEXT_TAGS = ("!", "tag:yaml.org,2002:str")


def _scalar(event: yaml.ScalarEvent, line: int) -> Scalar:
    text: str = event.value
    if event.tag in _TEXT_TAGS:
        return text
    _check_tag(event.tag, line)
    if not event.implicit[0]:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "-0123456789" or not _FLOAT.fullmatch(text):
        return text
    if len(text) > _LONGEST_NUMBER:
        raise Refused(f"has a number of {len(text)} characters; at most {_LONGEST_NUMBER} are accepted", line)
    if _INT.fullmatch(text):
        number = int(text)
        if not -(2**63) <= number < 2**63:
            raise Refused(f"has the number {text}, which needs more than 64 bits", line)
        return number
    given = float(text)
    if math.isinf(given):
        raise Refused(f"has the number {text}, which is too large", line)
    return given


def _check_tag(tag: str | None, line: int) -> None:
    if tag is not None:
        raise Refused(f"has the tag {_brief(tag)}; write the value without it", line)


def _check_size(data: bytes, limits: Limits) -> None:
    if len(data) > limits.size:
        raise Refused(f"is too large; at most {limits.size} bytes are accepted")


def _too_many(limits: Limits, line: int | None) -> Refused:
    return Refused(f"has too many values; at most {limits.values} are accepted, expanded aliases included", line)


def _too_deep(limits: Limits, line: int | None) -> Refused:
    return Refused(f"is nested too deeply; at most {limits.depth} levels are accepted", line)


def _utf8(data: bytes | str) -> bytes:
    """Return a text as UTF-8 bytes.

    Raises:
        Refused: The text is not valid UTF-8.
    """
    try:
        if isinstance(data, str):
            return data.encode()
        data.decode()
    except UnicodeError:
        raise Refused("is not UTF-8 text") from None
    return data


def _brief(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"


def _line(event: yaml.Event) -> int:
    mark = event.start_mark
    assert mark is not None  # every parser sets it
    return mark.line + 1
