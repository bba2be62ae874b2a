"""Choose argument values from an episode's replies or from a small stock of neutral values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from soundstage.synthesis.traverse.places import at_path, walk_scalars
from soundstage.synthesis.traverse.recording import Reference
from soundstage.synthesis.traverse.replies import content_of
from soundstage.synthesis.traverse.scrub import SCRATCH

Value = str | int | float | bool

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_KEYS = re.compile(r"\.([A-Za-z_][\w-]*)|\[\"((?:[^\"\\]|\\.)*)\"\]")
_LABELLED = re.compile(r"^\W{0,4}([A-Za-z][\w ]{1,30}):\s+(\S.*)$", re.MULTILINE)
_LOOSE = re.compile(r"\b(?:[0-9a-f]{40}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[A-Z]{1,4}-?\d{2,})\b")
_GENERIC = frozenset(("id", "name", "key", "title", "path", "uri", "url", "node", "item", "value", "list"))
"""Generic words for names of things, which do not reveal their type."""
_MAKES = frozenset(
    ("create", "write", "add", "save", "put", "insert", "new", "upload", "make", "append", "post", "init")
)
_VERBS = _MAKES | frozenset(
    ("get", "list", "read", "delete", "remove", "update", "search", "find", "open", "set", "fetch", "edit", "move", "copy",
     "rename", "show")
)  # fmt: skip
_THAT_IS = frozenset(("old", "source", "src", "from", "current", "before", "existing", "previous"))
_TO_BE = frozenset(("new", "destination", "dest", "dst", "to", "target", "after"))
"""Parameter words for something that exists already (`_THAT_IS`) and for something that the call creates (`_TO_BE`)."""
_ENOUGH = 0.5
_ASKS = frozenset(("query", "search", "keyword", "term", "q", "pattern", "filter"))
_QUERY_WORD = re.compile(r"[A-Za-z]{4,}")
_TEXT = "$text"
_LONGEST = 500


def words(text: str) -> frozenset[str]:
    """Return the words of a name in camel or snake case, in the singular."""
    return frozenset(_singular(word.lower()) for word in _WORDS.findall(text))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def keys_of(place: str) -> list[str]:
    """Return the member names in a path such as `$.entities[0].name`."""
    return [plain or quoted for plain, quoted in _KEYS.findall(place)]


@dataclass(frozen=True, slots=True)
class KnownValue:
    """A value from a reply, or (without a reference) from a call's arguments, with its path and descriptive words."""

    value: Value
    reference: Reference | None
    place: str
    words: frozenset[str]
    last: frozenset[str]


@dataclass(slots=True)
class Bank:
    """The values of one episode's successful calls and replies, in the order in which they occurred."""

    known: list[KnownValue] = field(default_factory=list)

    def add(self, step: int, tool: str, arguments: Any, reply: Mapping[str, Any] | None) -> None:
        """Add the values of a call's arguments and of its reply.

        A JSON reply contributes every scalar; a text reply contributes labelled values and strings that look like ids.
        """
        nouns = words(tool) - _VERBS
        for path, value in walk_scalars(arguments):
            if isinstance(value, str) and value.strip() and len(value) <= _LONGEST and keys_of(path):
                last = _meant(words(keys_of(path)[-1]))[0]
                self.known.append(KnownValue(value, None, f"$sent[{step}]{path[1:]}", last | nouns, last))
        content = content_of(reply)
        if isinstance(content, str):
            for label, values in _labelled(content).items():
                for i, value in enumerate(values):
                    path = f"{_TEXT}[{json.dumps(label)}][{i}]"
                    self.known.append(
                        KnownValue(value, Reference(step, path), path, words(label) | nouns, words(label))
                    )
            return
        for path, value in walk_scalars(content):
            if value is None or value == "" or isinstance(value, bool):
                continue
            names = keys_of(path)
            last = words(names[-1]) if names else nouns
            said_all = frozenset().union(*map(words, names), nouns)
            self.known.append(KnownValue(value, Reference(step, path), path, said_all, last))

    def fitting(self, tool: str, place: str, kind: type, near: str | None = None) -> list[KnownValue]:
        """Return the values that fit a parameter, most likely first.

        Values are ranked by the number of words shared with the parameter's name, then by their origin (values from replies
        first; for parameters of existing things, values from arguments first), then by closeness to `near`, the path of the
        value that was chosen last, so that values of one record are used together.
        """
        names = keys_of(place)
        last, to_be = _meant(words(names[-1]) if names else frozenset())
        if to_be:
            return []
        wanted = last
        if last <= _GENERIC:
            wanted = last | (words(names[-2]) if len(names) > 1 else words(tool) - _VERBS)
        alike = last.union(*(group for group, _ in _STOCK if group & last)) if last else _GENERIC
        replies_first = not (names and words(names[-1]) & _THAT_IS)
        scored: list[tuple[float, bool, int, int, KnownValue]] = []
        for number, known in enumerate(self.known):
            if not isinstance(known.value, kind) or not known.last & alike:
                continue
            meant = known.words if known.last & last else known.words | last
            score = len(wanted & meant) / max(1, len(wanted))
            if score >= _ENOUGH:
                first = (known.reference is not None) is replies_first
                scored.append((score, first, _shared(near, known.place), number, known))
        scored.sort(key=lambda entry: entry[:4], reverse=True)
        result: dict[Value, KnownValue] = {}
        for *_, known in scored:
            if known.value not in result or result[known.value].reference is None:
                result[known.value] = known
        return list(result.values())

    def reply_words(self, place: str) -> list[str]:
        """Return words of reply texts for a search parameter; an empty list for any other parameter."""
        names = keys_of(place)
        if not names or not words(names[-1]) & _ASKS:
            return []
        replied = (known.value for known in reversed(self.known) if known.reference is not None)
        texts = (value for value in replied if isinstance(value, str))
        return list(dict.fromkeys(word for text in texts for word in _QUERY_WORD.findall(text)))

    def other(self, value: Value) -> tuple[Value, Reference] | None:
        """Return a different value of the same type from a reply."""
        for known in reversed(self.known):
            if type(known.value) is type(value) and known.value != value and known.reference is not None:
                return known.value, known.reference
        return None


def at_reference(content: Any, path: str) -> Any:
    """Return the value at a reference's path in a reply's content.

    For text replies, `$text["label"][0]` is the first value after that label.

    Raises:
        LookupError: The path does not exist.
    """
    if path.startswith(_TEXT):
        if not isinstance(content, str):
            raise LookupError(path)
        return at_path(_labelled(content), "$" + path.removeprefix(_TEXT))
    return at_path(content, path)


def _labelled(text: str) -> dict[str, list[str]]:
    """Return the values after each label of a text, with strings that look like ids under `id`, in order."""
    result: dict[str, list[str]] = {}
    for label, value in _LABELLED.findall(text):
        result.setdefault(label, []).append(value.strip())
    for value in _LOOSE.findall(text):
        result.setdefault("id", []).append(value)
    return result


def _meant(last: frozenset[str]) -> tuple[frozenset[str], bool]:
    """Return a parameter's words without those for existing or new things, and whether it names a new thing."""
    return last - _THAT_IS - _TO_BE, bool(last & _TO_BE) and not last & _THAT_IS


def creates(tool: str) -> bool:
    """Whether a tool's name says that it creates something."""
    return bool(words(tool) & _MAKES)


def _shared(near: str | None, path: str) -> int:
    """Return the length of the common prefix of two paths."""
    if near is None:
        return 0
    return next((i for i, (a, b) in enumerate(zip(near, path, strict=False)) if a != b), min(len(near), len(path)))


_STOCK: Sequence[tuple[frozenset[str], Sequence[Value]]] = tuple(
    (frozenset(names.split()), values)
    for names, values in (
        ("email mail", ("lin.harbour@mail.example", "omar.field@mail.example")),
        ("url uri link website", ("https://harbour.example/notes", "https://field.example/plan")),
        ("folder directory dir", (f"{SCRATCH}/papers", f"{SCRATCH}/drafts")),
        ("path file filename", (f"{SCRATCH}/notes.txt", f"{SCRATCH}/papers/plan.txt")),
        ("date day", ("2026-11-20", "2026-12-01")),
        ("time timestamp datetime at start end since until", ("2026-11-20T09:00:00Z", "2026-11-20T10:30:00Z")),
        ("timezone zone", ("Europe/Lisbon", "Asia/Shanghai")),
        ("type kind category status", ("project", "person")),
        ("name title label summary subject", ("Harbour plan", "Field notes", "Lantern list", "Winter menu")),
        ("content text body", (
            "The harbour opens at nine.\n  Omar keeps the spare key.\nAsk about the lanterns.\n", "Omar keeps the spare key."
        )),
        ("message observation description note comment", (
            "The harbour opens at nine.", "Omar keeps the spare key.", "Ask about the lanterns."
        )),
        ("query search keyword term q pattern", ("harbour", "key")),
        ("color colour", ("#336699", "green")),
        ("language lang locale", ("en", "zh")),
        ("limit count size max number page", (2, 5)),
    )
)  # fmt: skip
_PATHS, _FOLDERS = frozenset(("path",)), frozenset(("folder", "directory", "dir"))
_PLAIN = ("harbour", "lantern", "field", "winter")


def stock(place: str, kind: type, number: int, tool: str = "") -> Value:
    """Return a neutral value for a parameter by its name; another `number` yields another value.

    The tool's name decides whether a path is a folder's.
    """
    names = keys_of(place)
    said_last = words(names[-1]) if names else frozenset()
    if said_last & _PATHS and words(tool) & _FOLDERS:
        said_last = _FOLDERS
    if kind in (int, float):
        return kind(1 + number % 3)
    for wanted, values in _STOCK:
        texts = [value for value in values if isinstance(value, str)]
        if said_last & wanted and texts:
            chosen = texts[number % len(texts)]
            return chosen if number < len(texts) else f"{chosen} {number}"
    chosen = _PLAIN[number % len(_PLAIN)]
    return chosen if number < len(_PLAIN) else f"{chosen} {number}"


def is_path(place: str) -> bool:
    """Whether a parameter's name says that it is a path; the paths of several tools have to refer to the same files."""
    names = keys_of(place)
    return bool(names and words(names[-1]) & _PATHS)


def quoted_examples(description: str) -> list[str]:
    """Return the quoted examples in a description."""
    examples = re.findall(
        r"(?:e\.g\.|for example|such as|example:?)[^\"'`]{0,20}[\"'`]([^\"'`]{1,80})[\"'`]", description
    )
    return [text for text in examples if text.strip()]
