"""The writing styles of a world's people, measured from their messages, and pairs that cannot be distinguished."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import hypot, log

from soundstage.worlds.builder import text as texts
from soundstage.worlds.builder.chinese import HAN, is_chinese
from soundstage.worlds.builder.drafts import Plan
from soundstage.worlds.builder.voices import CONTRACTED, UNCONTRACTED

_CLOSED = re.compile(r"[.!?。！？…][\"'”’」』）)]?$")
_EMOJI = re.compile(r"[\u2600-\u27bf\U0001f300-\U0001faff]")
_ACKNOWLEDGED = re.compile(
    r"(?:ok(?:ay)?|k|got it|thanks?(?: you)?|thx|ty|cheers|noted|sure|will do|yes|yep|yup|done|nice|great|perfect|cool|haha+"
    r"|lol|\+1|same|on it|obrigad[oa]|收到|好的?|好嘞|行|可以|嗯+|谢谢\w?|多谢|辛苦\w{0,2}|哈{2,}|了解|明白|没问题|👍|🙏|😂|👌|❤️)"
    r"(?=\W|$)",
    re.IGNORECASE,
)
_WORDS_OF_AN_ACKNOWLEDGEMENT = 4
_ENOUGH = 25  # messages needed to judge a person's style
_ALIKE = 0.8  # how far apart two people must be; 1 is the difference in one figure that a reader notices


@dataclass(frozen=True, slots=True)
class Speech:
    """How one person writes. Shares are percent of their messages; `contractions` of those that could have one.

    `median` is the median length of a message in letters, a Chinese character counting as one.
    """

    person: str
    name: str
    messages: int
    median: int
    closing: int
    contractions: int
    emoji: int
    acknowledgements: int
    lower: int
    languages: dict[str, int]


def speeches(plan: Plan) -> list[Speech]:
    """Return the figures of each cast member with messages in a chat or channel, most messages first."""
    by_person: dict[str, list[str]] = {}
    for message in plan.of_kind("message"):
        author = message.values["author"]
        text = texts.plain(message.values["text"]).strip()
        if author.kind == "person" and text and not message.values.get("recalled"):
            by_person.setdefault(author.key, []).append(text)
    names = {person.key: str(person.values["name"]) for person in plan.of_kind("person")}
    measured = [_speech(key, names[key], written) for key, written in by_person.items()]
    return sorted(measured, key=lambda s: (-s.messages, s.person))


def sound_alike(measured: list[Speech]) -> Iterator[tuple[Speech, Speech]]:
    """Yield pairs of people whose figures a reader could not distinguish."""
    for one, other in combinations([s for s in measured if s.messages >= _ENOUGH], 2):
        if _distance(one, other) < _ALIKE:
            yield one, other


def acknowledges(text: str) -> bool:
    """Return whether a message only acknowledges, thanks or laughs."""
    words = len(re.findall(r"[A-Za-z']+", text)) + len(HAN.findall(text)) // 2
    return bool(_ACKNOWLEDGED.match(text)) and words <= _WORDS_OF_AN_ACKNOWLEDGEMENT


def _speech(key: str, name: str, texts: list[str]) -> Speech:
    english = [text for text in texts if not is_chinese(text)]
    could = [text for text in english if CONTRACTED.search(text) or UNCONTRACTED.search(text)]
    return Speech(
        person=key,
        name=name,
        messages=len(texts),
        median=sorted(map(len, texts))[len(texts) // 2],
        closing=_percent(sum(bool(_CLOSED.search(text)) for text in texts), len(texts)),
        contractions=_percent(sum(bool(CONTRACTED.search(text)) for text in could), len(could)),
        emoji=_percent(sum(bool(_EMOJI.search(text)) for text in texts), len(texts)),
        acknowledgements=_percent(sum(map(acknowledges, texts)), len(texts)),
        lower=_percent(sum(text[0].islower() for text in english), len(english)),
        languages=_languages(_percent(len(english), len(texts))),
    )  # fmt: skip


def _languages(english: int) -> dict[str, int]:
    return {lang: percent for lang, percent in (("en", english), ("zh", 100 - english)) if percent}


def _percent(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole else 0


def _distance(one: Speech, other: Speech) -> float:
    """How differently two people write, each figure measured by the difference that a reader notices."""
    return hypot(
        log(max(1, one.median) / max(1, other.median)) / log(1.5),
        (one.closing - other.closing) / 25,
        (one.contractions - other.contractions) / 40,
        (one.emoji - other.emoji) / 10,
        (one.acknowledgements - other.acknowledgements) / 12,
        (one.lower - other.lower) / 40,
        (one.languages.get("zh", 0) - other.languages.get("zh", 0)) / 30,
    )
