"""Where argument values come from: what replies of the episode told, and a small stock of plain values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from soundstage.synthesis.traverse.places import wheres
from soundstage.synthesis.traverse.pool import Reference
from soundstage.synthesis.traverse.replies import told
from soundstage.synthesis.traverse.scrub import SCRATCH

Value = str | int | float | bool

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_KEYS = re.compile(r"\.([A-Za-z_][\w-]*)|\[\"((?:[^\"\\]|\\.)*)\"\]")
_LABELLED = re.compile(r"^\W{0,4}([A-Za-z][\w ]{1,30}):\s+(\S.*)$", re.MULTILINE)
_LOOSE = re.compile(r"\b(?:[0-9a-f]{40}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[A-Z]{1,4}-?\d{2,})\b")
_GENERIC = frozenset(("id", "name", "key", "title", "path", "uri", "url", "node", "item", "value", "list"))
"""Words that say what a thing is called, and not what it is."""
_VERBS = frozenset(
    (
        "get",
        "list",
        "read",
        "create",
        "add",
        "delete",
        "remove",
        "update",
        "search",
        "find",
        "open",
        "set",
        "put",
        "fetch",
    )
)
_ENOUGH = 0.5
_ASKS = frozenset(("query", "search", "keyword", "term", "q", "pattern", "filter"))
_ASKED = re.compile(r"[A-Za-z]{4,}")


def words(text: str) -> frozenset[str]:
    """The words of a name in camel or snake case, in the singular."""
    return frozenset(_singular(word.lower()) for word in _WORDS.findall(text))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def keys_of(place: str) -> list[str]:
    """The names on the way to a place such as `$.entities[0].name`."""
    return [plain or quoted for plain, quoted in _KEYS.findall(place)]


@dataclass(frozen=True, slots=True)
class Known:
    """A value that a reply told: in which step of the episode, at which place, and the words that say what it is."""

    value: Value
    step: int
    path: str
    words: frozenset[str]
    last: frozenset[str]


@dataclass(slots=True)
class Bank:
    """The values of one episode's successful replies, in the order in which they were told."""

    known: list[Known] = field(default_factory=list)

    def add(self, step: int, tool: str, reply: Mapping[str, Any] | None) -> None:
        """Note what a reply tells: of JSON every scalar, of plain text what stands behind a label, and what looks like an id."""
        nouns = words(tool) - _VERBS
        content = told(reply)
        if isinstance(content, str):
            for label, value in _labelled(content):
                self.known.append(Known(value, step, f"$text[{label!r}]", words(label) | nouns, words(label)))
            return
        for path, value in wheres(content):
            if value is None or value == "" or isinstance(value, bool):
                continue
            names = keys_of(path)
            last = words(names[-1]) if names else nouns
            self.known.append(Known(value, step, path, frozenset().union(*map(words, names), nouns), last))

    def fitting(self, tool: str, place: str, kind: type, near: str | None = None) -> list[tuple[Value, Reference]]:
        """Values that a parameter may mean, the likeliest first: those whose names share most words with its own, and stand in
        the same record as the one that was taken last (`near`).
        """
        names = keys_of(place)
        last = words(names[-1]) if names else frozenset()
        wanted = last
        if last <= _GENERIC:
            wanted = last | (words(names[-2]) if len(names) > 1 else words(tool) - _VERBS)
        scored: list[tuple[float, int, int, Known]] = []
        for number, known in enumerate(self.known):
            if not isinstance(known.value, kind) or not known.last & last:
                continue
            score = len(wanted & known.words) / len(wanted)
            if score >= _ENOUGH:
                scored.append((score, _shared(near, known.path), number, known))
        scored.sort(key=lambda entry: (-entry[0], -entry[1], -entry[2]))
        found: dict[Value, Reference] = {}
        for *_, known in scored:
            found.setdefault(known.value, Reference(known.step, known.path))
        return list(found.items())

    def told_words(self, place: str) -> list[str]:
        """Words of texts that replies told, for a parameter that asks for words; none for any other parameter."""
        names = keys_of(place)
        if not names or not words(names[-1]) & _ASKS:
            return []
        texts = (known.value for known in reversed(self.known) if isinstance(known.value, str))
        return list(dict.fromkeys(word for text in texts for word in _ASKED.findall(text)))

    def other(self, value: Value) -> tuple[Value, Reference] | None:
        """A value of the same type that is told of something else."""
        for known in reversed(self.known):
            if type(known.value) is type(value) and known.value != value:
                return known.value, Reference(known.step, known.path)
        return None


def _labelled(text: str) -> Iterator[tuple[str, str]]:
    for label, value in _LABELLED.findall(text):
        yield label, value.strip()
    for value in _LOOSE.findall(text):
        yield "id", value


def _shared(near: str | None, path: str) -> int:
    """How many characters two places share from the start, up to their last step."""
    if near is None:
        return 0
    return next((i for i, (a, b) in enumerate(zip(near, path, strict=False)) if a != b), min(len(near), len(path)))


_STOCK: Sequence[tuple[frozenset[str], Sequence[Value]]] = tuple(
    (frozenset(names.split()), values)
    for names, values in (
        ("email mail", ("lin.harbour@mail.example", "omar.field@mail.example")),
        ("url uri link website", ("https://harbour.example/notes", "https://field.example/plan")),
        ("path file filename folder directory", (f"{SCRATCH}/notes.txt", f"{SCRATCH}/plan.txt")),
        ("date day", ("2026-11-20", "2026-12-01")),
        ("time timestamp datetime at start end since until", ("2026-11-20T09:00:00Z", "2026-11-20T10:30:00Z")),
        ("timezone zone", ("Europe/Lisbon", "Asia/Shanghai")),
        ("type kind category status", ("project", "person")),
        ("name title label summary subject", ("Harbour plan", "Field notes", "Lantern list", "Winter menu")),
        ("content text body message observation description note comment", (
            "The harbour opens at nine.", "Omar keeps the spare key.", "Ask about the lanterns."
        )),
        ("query search keyword term q pattern", ("harbour", "key")),
        ("color colour", ("#336699", "green")),
        ("language lang locale", ("en", "zh")),
        ("limit count size max number page", (2, 5)),
    )
)  # fmt: skip
_PLAIN = ("harbour", "lantern", "field", "winter")


def stock(place: str, kind: type, number: int) -> Value:
    """A plain value for a parameter by its name; with another `number` another one."""
    names = keys_of(place)
    said_last = words(names[-1]) if names else frozenset()
    if kind in (int, float):
        return kind(1 + number % 3)
    for wanted, values in _STOCK:
        texts = [value for value in values if isinstance(value, str)]
        if said_last & wanted and texts:
            chosen = texts[number % len(texts)]
            return chosen if number < len(texts) else f"{chosen} {number}"
    chosen = _PLAIN[number % len(_PLAIN)]
    return chosen if number < len(_PLAIN) else f"{chosen} {number}"


def quoted_examples(description: str) -> list[str]:
    """What a description gives as an example, in quotation marks."""
    found = re.findall(r"(?:e\.g\.|for example|such as|example:?)[^\"'`]{0,20}[\"'`]([^\"'`]{1,80})[\"'`]", description)
    return [text for text in found if text.strip()]
