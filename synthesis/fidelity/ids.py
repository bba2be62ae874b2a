"""Map simulated ids to recorded ids, one to one within an episode.

A server generates new ids each time, so recordings mark them as volatile. A mask alone would accept any id anywhere; with the
map, an id that corresponds to a recorded one has to reappear wherever the recorded one does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from soundstage.synthesis.fidelity.masks import MASK, hidden_texts, mask, masks_of
from soundstage.synthesis.traverse.places import at_path, walk_scalars
from soundstage.synthesis.traverse.values import keys_of, words

Id = str | int

_NAMES = frozenset(("id", "key", "hash", "sha", "uuid", "guid", "ref", "ts", "oid", "commit"))
_TIMES = frozenset(
    ("time", "date", "at", "created", "modified", "updated", "accessed", "added", "timestamp", "expires", "day")
)
_OPAQUE = frozenset(("cursor", "token", "signature", "etag", "nonce", "password", "secret"))
"""Names of members whose values change in every reply and identify nothing."""
_MOMENT = re.compile(
    r"\d{4}-\d\d(-\d\d)?([T ].*)?|\d{1,2}:\d\d.*|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}.*"
    r"|(?i:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b.*"
    r"|[+-]?\d{1,5}(\.\d+)?\s*(ms|s|us|seconds?)?"
)
_EPOCHS = ((1_000_000_000, 4_200_000_000), (1_000_000_000_000, 4_200_000_000_000))
_HEX = re.compile(r"(?i)[0-9a-f]{7,}")
_LONGEST = 128
_LEAST = 4  # a shorter text may occur in others by chance


def is_id(name: str, value: Any) -> bool:
    """Whether a varying value is an id rather than a time or a size; `name` is its member's name, or empty."""
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        return False
    name_words = words(name)
    if name_words & _OPAQUE:
        return False
    if name_words & _NAMES:
        return True
    if name_words & _TIMES or isinstance(value, int):
        return False
    if len(value) > _LONGEST or re.search(r"\s", value) or "://" in value or _MOMENT.fullmatch(value):
        return False
    if value.isdigit() and any(low <= int(value) <= high for low, high in _EPOCHS):
        return False
    return bool(re.search(r"\d", value) or _HEX.fullmatch(value))


class Ids:
    """The ids of one episode."""

    def __init__(self) -> None:
        self._ours: dict[Id, Id] = {}
        self._recorded: dict[Id, Id] = {}

    def meet(self, recorded: Any, ours: Any, volatile: Sequence[str]) -> list[str]:
        """Learn corresponding ids from two replies, in the places that the masks hide.

        Returns:
            A message for each id that corresponded to another one before.
        """
        result: list[str] = []
        for place, then, now in _facing(recorded, ours, volatile):
            if is_id(_name(place), then) and (wrong := self.bind(then, now)) is not None:
                result.append(f"ids: {place}: {wrong}")
        return result

    def bind(self, recorded: Id, ours: Any) -> str | None:
        """Map our id to a recorded one; return an error message if it contradicts an earlier mapping."""
        if type(ours) is not type(recorded) or ours == "":
            return f"{ours!r} appears in place of the recorded id {recorded}"
        known, other = self._ours.get(recorded), self._recorded.get(ours)
        if known is None and other is None:
            self._ours[recorded], self._recorded[ours] = ours, recorded
        elif known is not None and known != ours:
            return f"{ours} corresponds to {recorded}, which corresponded to {known} before"
        elif other is not None and other != recorded:
            return f"{ours} corresponds to both {recorded} and {other}"
        return None

    def as_ours(self, arguments: Any) -> Any:
        """Replace recorded ids in arguments with ours."""
        return _renamed(arguments, self._ours)

    def as_recorded(self, reply: Any) -> Any:
        """Replace our ids in a reply with the recorded ones."""
        return _renamed(reply, self._recorded)


def _renamed(value: Any, names: Mapping[Id, Id]) -> Any:
    moved = {old: new for old, new in names.items() if old != new}
    texts = sorted((t for t in moved if isinstance(t, str) and len(t) >= _LEAST), key=len, reverse=True)
    inside = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, texts))})(?![A-Za-z0-9])") if texts else None

    def walk(value: Any, name: str) -> Any:
        if isinstance(value, dict):
            return {key: walk(item, key) for key, item in value.items()}
        if isinstance(value, list):
            return [walk(item, name) for item in value]
        if isinstance(value, str):
            if value in moved:
                return moved[value]
            return value if inside is None else inside.sub(lambda match: str(moved[match[0]]), value)
        if isinstance(value, int) and not isinstance(value, bool) and is_id(name, value):
            return moved.get(value, value)
        return value

    return walk(value, "") if moved else value


def _facing(recorded: Any, ours: Any, volatile: Sequence[str]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the masked values of both replies, place by place."""
    if isinstance(recorded, str) != isinstance(ours, str):
        return
    masked = mask(recorded, volatile)
    for place, then in walk_scalars(recorded):
        try:
            hidden, now = at_path(masked, place), at_path(ours, place)
        except (LookupError, TypeError):
            continue
        if hidden == then or (isinstance(now, dict | list)):
            continue
        if hidden == MASK and not isinstance(recorded, str):
            yield place, then, now
        elif isinstance(then, str) and isinstance(now, str):
            for one in masks_of(volatile):
                parts, others = hidden_texts(one, then), hidden_texts(one, now)
                if len(parts) == len(others):
                    yield from ((place, *pair) for pair in zip(parts, others, strict=True))


def _name(place: str) -> str:
    names = keys_of(place)
    return names[-1] if names else ""
