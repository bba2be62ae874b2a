"""Sources of free text: the corpora, and texts that a model has written for this world."""

from __future__ import annotations

import re
from string import ascii_lowercase

from soundstage.worlds.builder import text as texts
from soundstage.worlds.builder.chinese import full_width
from soundstage.worlds.builder.conversations import with_people
from soundstage.worlds.builder.corpora import Texts
from soundstage.worlds.builder.drafts import Draft
from soundstage.worlds.builder.draw import Draw
from soundstage.worlds.builder.voices import voiced
from soundstage.worlds.builder.written import Request, Written

_HANDLE = re.compile(r"(?<![\w.+-])@[\w\u4e00-\u9fff.-]+")
_PHONE = re.compile(r"\+?\d[\d -]{8,}\d")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HOST = re.compile(r"(https?://)[\w.-]+")


class TextSource:
    """Provides texts: the model's text for this place if it exists, otherwise a corpus text."""

    def __init__(
        self, pieces: Texts, vocabulary: dict[str, list[str]], seed: int, written: Written, people: list[Draft]
    ) -> None:
        self._pieces = pieces
        self._vocabulary = vocabulary
        self._seed = seed
        self._written = written
        self._people = people
        self._taken: dict[str, tuple[str, str]] = {}

    def write(
        self, kind: str, part: str, topic: str | None, person: Draft | None, key: str, words: tuple[int, int]
    ) -> str | None:
        """A text of a kind. Title and text of the same row belong together."""
        text = self._taken.get(f"{kind}/{key}")
        if text is None:
            text = self._taken[f"{kind}/{key}"] = self._find(kind, topic, person, key, words)
        return text[0 if part == "title" else 1] or None

    def quote(self, corpus: str, part: str, key: str) -> str | None:
        """A text that people wrote, with identities masked."""
        piece = self._pieces.take(corpus, None, None)
        if piece is None:
            return None
        return full_width(masked(piece.title if part == "title" else piece.text, Draw(self._seed, "mask", key)))

    def _find(
        self, kind: str, topic: str | None, person: Draft | None, key: str, words: tuple[int, int]
    ) -> tuple[str, str]:
        written = self._written.text(Request.about(kind, topic, person, words, key))
        if written is not None:
            return written
        topics = [topic] if topic else None
        piece = self._pieces.take(kind, topics, person) or self._pieces.take(kind, topics, None)
        if piece is None:
            return "", ""
        slots = texts.Slots(self._vocabulary, Draw(self._seed, "slots", key))
        others = Draw(self._seed, "people", key).sample([p for p in self._people if p is not person], 6)
        cast = dict(zip(ascii_lowercase, ([person] if person else []) + others, strict=False))
        title, text = (self._plain(t, cast, slots) for t in (piece.title, piece.text))
        if person is not None:
            text = voiced(text, person.values["voice"], Draw(self._seed, "voice", key))
        return title, text

    @staticmethod
    def _plain(text: str, cast: dict[str, Draft], slots: texts.Slots) -> str:
        people = {person.key: person for person in cast.values()}
        return texts.plain(texts.parse(with_people(text, cast), people.get, lambda _: None, slots))


def masked(text: str, draw: Draw) -> str:
    """Replace nicknames, addresses and numbers in a text with fictitious ones."""
    text = _HANDLE.sub(lambda _: f"@user{draw.between(1000, 9999)}", text)
    text = _MAIL.sub(lambda _: f"user{draw.between(100, 999)}@example.com", text)
    text = _HOST.sub(lambda match: f"{match[1]}www.example.com", text)
    return _PHONE.sub(lambda _: f"+120255501{draw.below(100):02}", text)
