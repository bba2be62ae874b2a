"""Everyday talk: threads of the corpora, cast with the members of a place and laid over its days."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from soundstage.worlds.builder import text as texts
from soundstage.worlds.builder.corpora import Thread, Turn, fits
from soundstage.worlds.builder.drafts import Draft, Plan
from soundstage.worlds.builder.draw import Draw
from soundstage.worlds.builder.forms import delay
from soundstage.worlds.builder.spec import Spec, minutes
from soundstage.worlds.builder.traces import Traces
from soundstage.worlds.builder.voices import halves, length, own_words, slip, voiced

_DAY = 86_400_000
# When in their working day people start a conversation: percent of them → percent of the day.
_RHYTHM = ((0, 0), (30, 18), (45, 35), (55, 52), (85, 85), (100, 100))
_REFERENCE = re.compile(r"\{(@?)([a-z])\}")


# Weights for choosing a speaker whose usual message length equals that of the message, is one class away, or is the opposite.
_LENGTHS = ("short", "medium", "long")
_SUITS = (8, 3, 1)


@dataclass(slots=True)
class _Line:
    """A line of a conversation before it becomes a message: speaker, delay, flags and text."""

    speaker: Draft
    wait: str
    flags: str
    text: str
    attachments: dict[str, Any]

    def turn(self) -> dict[str, Any]:
        head = " ".join(filter(None, [self.speaker.key, self.wait and f"+{self.wait}", self.flags]))
        return {
            head: {**self.attachments, **({"text": self.text} if self.text else {})} if self.attachments else self.text
        }


@dataclass(slots=True)
class _Room:
    place: Draft
    threads: list[Thread]
    used: int = 0


def add_conversations(
    plan: Plan, spec: Spec, traces: Traces, threads: list[Thread], vocabulary: dict[str, list[str]],
    progress: Callable[[str, int, int], None],
) -> None:  # fmt: skip
    """Fill each app's places with conversations until there are as many messages as the spec asks for."""
    used: set[str] = set()
    for app, entities in spec.sizes.rows.items():
        wanted = entities.get("message", 0)
        have = sum(1 for _ in plan.of_kind("message", app))
        rooms = _rooms(plan, spec, app, threads)
        draw = Draw(spec.seed, "conversations", app)
        number = 0
        while have < wanted and rooms:
            room = draw.weighted([(r, r.place.values["share"]) for r in rooms])
            thread = _next(room, used, again=spec.sizes.again)
            if thread is None:
                rooms.remove(room)
                continue
            number += 1
            key = f"{room.place.key}/{thread.id}" if not spec.sizes.again else f"{room.place.key}/{thread.id}/{number}"
            made = _hold(plan, spec, traces, room.place, thread, key, vocabulary)
            have += made
            if made and not spec.sizes.again:
                used.add(thread.id)
            if number % 200 == 0:
                progress("conversations", min(have, wanted), wanted)
        progress("conversations", min(have, wanted), wanted)


def _rooms(plan: Plan, spec: Spec, app: str, threads: list[Thread]) -> list[_Room]:
    rooms = []
    for place in plan.of_kind("place", app):
        if place.values["share"]:
            mine = [t for t in threads if t.topic in place.values["topics"] and t.lang in place.values["languages"]]
            rooms.append(_Room(place, Draw(spec.seed, "threads", place.key).shuffled(mine)))
    return [room for room in rooms if room.threads]


def _next(room: _Room, used: set[str], *, again: bool) -> Thread | None:
    while room.used < len(room.threads):
        thread = room.threads[room.used]
        room.used += 1
        if thread.id not in used:
            return thread
    if not again or not room.threads:
        return None
    room.used = 1
    return room.threads[0]


def _hold(
    plan: Plan, spec: Spec, traces: Traces, place: Draft, thread: Thread, key: str, vocabulary: dict[str, list[str]]
) -> int:
    """Add one conversation to a place; return the number of its messages (0 if its members cannot hold it)."""
    draw = Draw(spec.seed, "cast", key)
    cast = _cast(thread, place.values["members"], draw)
    if cast is None:
        return 0
    begin = max(spec.begin_ms, place.at, *(speaker.at for speaker in cast.values()))
    start = _start(spec, begin, thread, cast[thread.letters[0]], draw)
    if start is None:
        return 0
    slots = texts.Slots({**vocabulary, **spec.vocabulary}, Draw(spec.seed, "slots", key))
    lines: list[_Line] = []
    for number, turn in enumerate(thread.turns):
        lines += _lines(turn, cast, thread, spec.seed, key, number)
        if number == 0:
            lines += _received(thread, place, cast, key, spec.seed)
    made = traces.thread(
        place.key, [line.turn() for line in lines], start, f"thread {thread.id} in {place.key}", key=key,
        flow=thread.flow, slots=slots, local=thread.here,
    )  # fmt: skip
    _to_waking_hours(spec, made, lines)
    if signs := spec.vocabulary.get("reactions"):
        _react(spec, place, made, signs, key)
    return len(made)


def _lines(turn: Turn, cast: dict[str, Draft], thread: Thread, seed: int, key: str, number: int) -> list[_Line]:
    """A turn as the messages in which its speaker says it: in their voice, perhaps in two halves, perhaps with a slip."""
    speaker = cast[turn.letter]
    voice, languages = speaker.values["voice"], speaker.values["languages"]
    draw = Draw(seed, "voice", key, number)
    text = own_words(_named(turn.text, cast), voice, thread.lang, languages, draw)
    if text != turn.text and turn.text.startswith("{") and turn.text.endswith("}"):
        return [
            _Line(speaker, turn.wait, turn.flags, text, turn.attachments)
        ]  # their own word needs no voice laid over it
    text = voiced(text, voice, draw) if text else text
    first = _Line(speaker, turn.wait, turn.flags, text, turn.attachments)
    if turn.flags or turn.attachments or not text:
        return [first]
    if (two := halves(text)) is not None and draw.percent(voice.splits):
        first.text = two[0]
        return [first, _Line(speaker, f"{draw.between(3, 25)}s", "", two[1], {})]
    if not draw.percent(voice.slips) or (slipped := slip(text, draw)) is None:
        return [first]
    match draw.weighted([("corrected", 24), ("edited", 42), ("left", 20), ("recalled", 14)]):
        case "edited":
            first.flags = f"edited={draw.between(8, 140)}s"
            return [first]
        case "recalled":
            again = _Line(speaker, f"{draw.between(5, 60)}s", "", first.text, {})
            first.text, first.flags = slipped.text, "recalled"
            return [first, again]
        case "corrected":
            first.text = slipped.text
            return [first, _Line(speaker, f"{draw.between(4, 40)}s", "", f"*{slipped.meant}", {})]
        case _:
            first.text = slipped.text
            return [first]


def _received(thread: Thread, place: Draft, cast: dict[str, Draft], key: str, seed: int) -> list[_Line]:
    """Members who have read the first message, and say no more."""
    draw = Draw(seed, "received", key)
    free = [m for m in place.values["members"] if m not in cast.values() and m.values["talks"]]
    members = draw.shuffled([m for m in free if m.values["here"] or not thread.here])[: thread.received]
    return [
        _Line(
            m, f"{draw.between(20, 600)}s", "",
            own_words("{ok}", m.values["voice"], thread.lang, m.values["languages"], Draw(seed, "received", key, i)), {},
        )
        for i, m in enumerate(members)
    ]  # fmt: skip


def _react(spec: Spec, place: Draft, made: list[Draft], signs: list[str], key: str) -> None:
    """Members answer some messages with a sign instead of words."""
    draw = Draw(spec.seed, "reactions", key)
    for draft in made:
        others = [m for m in place.values["members"] if m is not draft.values["author"] and m.values["talks"]]
        for sign in dict.fromkeys(draw.choice(signs) for _ in range(draw.weighted([(0, 84), (1, 13), (2, 3)]))):
            people = draw.sample(others, draw.weighted([(1, 55), (2, 25), (3, 12), (5, 8)]))
            draft.values["reactions"].append({"name": sign, "people": people})


def _cast(thread: Thread, members: list[Draft], draw: Draw) -> dict[str, Draft] | None:
    cast: dict[str, Draft] = {}
    # Parts with special requirements are cast first, so that other parts do not use up the suitable people.
    for letter in sorted(thread.letters, key=lambda x: (x not in thread.cast, x)):
        wanted = thread.cast.get(letter, frozenset()) | ({"here"} if thread.here else frozenset())
        at = _LENGTHS.index(length([turn.text for turn in thread.turns if turn.letter == letter]))
        free = [
            (
                m,
                m.values["talks"]
                * (3 if thread.topic in m.values["interests"] else 1)
                * _SUITS[abs(at - _LENGTHS.index(m.values["voice"].length))],
            )
            for m in members
            if m not in cast.values()
            and m.values["talks"]
            and thread.languages[letter] <= set(m.values["languages"])
            and fits("any", wanted, m)
        ]
        if not free:
            return None
        cast[letter] = draw.weighted(free)
    return cast


def _start(spec: Spec, begin: int, thread: Thread, opener: Draft, draw: Draw) -> int | None:
    """Return a time in the opener's working day, not before `begin`, at which the thread fits before the epoch; or None."""
    lasting = (
        sum(delay(turn.wait) if turn.wait else 4 * 3_600_000 for turn in thread.turns[1:])
        + 600_000 * thread.received
        + 60_000
    )
    span = (spec.epoch_ms - begin - min(lasting, 3 * _DAY)) // _DAY
    if span < 1:
        return None
    zone = ZoneInfo(opener.values["zone"])
    low, high = (minutes(t) for t in opener.values["hours"])
    if thread.hours:
        low, high = (
            max(low, thread.hours[0] * 60),
            max(min(high, thread.hours[1] * 60), max(low, thread.hours[0] * 60) + 20),
        )
    for _ in range(40):
        day = (
            datetime.fromtimestamp((begin + draw.below(span) * _DAY) // 1000, UTC)
            .astimezone(zone)
            .replace(hour=0, minute=0, second=0)
        )
        weekend = day.weekday() >= 5
        if day.weekday() not in thread.days or day.month not in thread.months or (weekend and not draw.percent(6)):
            continue
        if f"{day:%Y-%m-%d}" in spec.holidays:
            continue
        at = day + timedelta(seconds=low * 60 + (high - low) * 60 * draw.from_steps(_RHYTHM) // 100 + draw.below(60))
        start = int(at.timestamp()) * 1000
        if begin <= start and start + min(lasting, 3 * _DAY) < spec.epoch_ms:
            return start
    return None


def _to_waking_hours(spec: Spec, made: list[Draft], lines: list[_Line]) -> None:
    """Move replies without an explicit time from the night to the next morning."""
    later = 0
    for draft, line in zip(made, lines, strict=False):
        draft.at += later
        if line.wait or draft is made[0]:
            continue
        local = datetime.fromtimestamp(draft.at // 1000, UTC).astimezone(
            ZoneInfo(draft.values["author"].values["zone"])
        )
        if 8 <= local.hour < 22:
            continue
        morning = local.replace(hour=9, minute=local.minute // 2) + timedelta(days=1 if local.hour >= 22 else 0)
        if local.weekday() >= 4 and morning.weekday() >= 5:
            morning += timedelta(days=7 - morning.weekday())
        moved = int(morning.timestamp()) * 1000 + draft.at % 1000
        if moved < spec.epoch_ms - 60_000:
            later += moved - draft.at
            draft.at = moved


def _named(text: str, cast: dict[str, Draft]) -> str:
    """Replace `{@b}` and `{b}` with the keys of the people cast for the parts."""
    return _REFERENCE.sub(lambda f: f"{{{f[1]}{cast[f[2]].key}}}" if f[2] in cast else f[0], text)


def with_people(text: str, people: dict[str, Draft]) -> str:
    """A text whose letters are people of the world."""
    return _named(text, people)
