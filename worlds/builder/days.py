"""Filling people's days up to the configured sizes: meetings, tasks, documents, records, and routine messages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from string import ascii_lowercase
from typing import Any
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.ids import make_id
from soundstage.worlds.builder import text as texts
from soundstage.worlds.builder.conversations import with_people
from soundstage.worlds.builder.corpora import Piece, Texts
from soundstage.worlds.builder.drafts import Draft, Plan
from soundstage.worlds.builder.draw import Draw
from soundstage.worlds.builder.records import add_record
from soundstage.worlds.builder.spec import Fill, Routine, Spec, minutes
from soundstage.worlds.builder.traces import Traces
from soundstage.worlds.builder.voices import described, titled

_DAY = 86_400_000
_QUARTER = 900_000
_WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class Days:
    """Adds everyday things for one world."""

    def __init__(self, plan: Plan, spec: Spec, traces: Traces, pieces: Texts, vocabulary: dict[str, list[str]]) -> None:
        self._plan = plan
        self._spec = spec
        self._traces = traces
        self._pieces = pieces
        self._vocabulary = {**vocabulary, **spec.vocabulary}
        self._busy: dict[str, list[tuple[int, int]]] = {}
        self._people = [p for p in plan.of_kind("person") if p.values["standing"] == "active" and p.values["talks"]]
        self._teams: dict[str, list[Draft]] = {}
        for person in self._people:
            self._teams.setdefault(person.values["team"], []).append(person)
        for event in plan.of_kind("event"):
            for guest in event.values["guests"]:
                if not event.values["whole_day"] and guest["answer"] != "decline":
                    self._busy.setdefault(guest["person"].key, []).append((event.values["start"], event.values["end"]))

    def fill(self, kind: str, app: str, wanted: int, progress: Callable[[str, int, int], None]) -> None:
        """Add drafts of a kind until an app has `wanted` of them or the corpora are exhausted."""
        add = {"event": self._event, "task": self._task, "document": self._document, "record": self._record}[kind]
        have = sum(1 for _ in self._plan.of_kind(kind, app))
        number = misses = 0
        while have < wanted and misses < 200:
            number += 1
            if add(app, number):
                have, misses = have + 1, 0
            else:
                misses += 1
            if number % 500 == 0:
                progress(f"{kind}s", have, wanted)
        progress(f"{kind}s", min(have, wanted), wanted)

    # -- the four ---------------------------------------------------------------------------------------------------

    def _event(self, app: str, number: int) -> bool:
        draw = Draw(self._spec.seed, "event", number)
        person = draw.choice(self._people)
        piece = self._pieces.take("event", None, person)
        if piece is None or app not in person.values["accounts"]:
            return False
        size = draw.weighted([(1, 40), (2, 25), (3, 15), (5, 10)]) if piece.guests is None else piece.guests
        met = [] if piece.topic == "personal" else self._colleagues(person, draw, size)
        guests = [g for g in met if g.values["zone"] == person.values["zone"]]
        if met and not guests:
            return False
        people = [person, *guests]
        start = self._free_slot(people, piece.minutes, draw)
        if start is None:
            return False
        end = start + piece.minutes * 60_000
        for one in people:
            self._busy.setdefault(one.key, []).append((start, end))
        latest = min(start - 3_600_000, self._spec.epoch_ms - 600_000)
        created = max(latest - draw.between(1, 11) * _DAY - draw.below(30_000) * 1000, *(p.at + 60_000 for p in people))
        if created >= latest:
            return False
        answers: dict[str, list[str]] = {"with": [], "maybe": [], "declined": [], "open": []}
        for guest in guests:
            fresh = created > self._spec.epoch_ms - 2 * _DAY
            answer = draw.weighted([("with", 78), ("maybe", 8), ("declined", 6), ("open", 60 if fresh else 8)])
            answers[answer].append(guest.key)
        value: dict[str, Any] = {
            "in": person.key, **self._written("event", number, piece, people), "start": start,
            "end": end, "created": created, **{k: v for k, v in answers.items() if v},
            "key": f"day/{number}", "remind": draw.weighted([(None, 50), (5, 20), (10, 20), (15, 10)]),
        }  # fmt: skip
        if guests and self._spec.organisation.rooms and draw.percent(60):
            value["location"] = draw.choice(self._spec.organisation.rooms)
        self._traces.event(value, None, f"event {piece.id}", self._slots("event", number))
        return True

    def _task(self, app: str, number: int) -> bool:
        draw = Draw(self._spec.seed, "task", number)
        person = draw.choice(self._people)
        piece = self._pieces.take("task", None, person)
        if piece is None:
            return False
        to = [person] if draw.percent(55) else self._colleagues(person, draw, 1) or [person]
        followers = [
            f for f in self._colleagues(person, draw, draw.weighted([(0, 50), (1, 30), (2, 20)])) if f not in to
        ]
        begin = max(self._spec.begin_ms, *(p.at for p in (person, *to, *followers)))
        span = self._spec.epoch_ms - _DAY - begin
        if span <= 0:
            return False
        created = self._at_work(begin + draw.below(span // 1000) * 1000, person, draw)
        due = self._at_work(created + draw.between(1, 16) * _DAY, person, draw)
        due -= due % _QUARTER
        done = None
        if draw.percent(86 if due < self._spec.epoch_ms - 3 * _DAY else 25):
            done = self._at_work(created + (due - created) * draw.between(20, 115) // 100, person, draw)
            done = done if created < done < self._spec.epoch_ms - 60_000 else None
        value: dict[str, Any] = {
            "by": person.key, **self._written("task", number, piece, [person, *to]), "to": [p.key for p in to],
            "followers": [p.key for p in followers], "created": created, "due": due, "done": done, "app": app,
            "key": f"day/{number}",
        }  # fmt: skip
        self._traces.task(value, None, f"task {piece.id}", self._slots("task", number))
        return True

    def _document(self, app: str, number: int) -> bool:
        draw = Draw(self._spec.seed, "document", number)
        person = draw.choice(self._people)
        piece = self._pieces.take("note", None, person)
        if piece is None:
            return False
        others = self._colleagues(person, draw, 4)
        begin = max(self._spec.begin_ms, person.at, *(o.at for o in others), 0)
        created = self._at_work(
            begin + draw.below((self._spec.epoch_ms - 2 * _DAY - begin) // 1000) * 1000, person, draw
        )
        edited = min(created + draw.between(1, 200) * 900_000, self._spec.epoch_ms - 120_000)
        share = {o.key: draw.weighted([("view", 60), ("edit", 40)]) for o in draw.sample(others, draw.between(0, 3))}
        places = [
            p
            for p in self._plan.of_kind("place", app)
            if piece.topic in p.values["topics"] and person in p.values["members"]
        ]
        chats = []
        if places and draw.percent(45):
            place = draw.choice(places)
            share[place.key] = "view"
            chats.append(place.key)
        value: dict[str, Any] = {
            "by": person.key, **self._written("document", number, piece, [person, *others]), "created": created,
            "edited": max(edited, created), "share": share, "chats": chats, "app": app,
            "key": f"day/{number}",
        }  # fmt: skip
        self._traces.document(value, None, f"note {piece.id}", self._slots("document", number))
        return True

    def _record(self, app: str, number: int) -> bool:
        draw = Draw(self._spec.seed, "record", number)
        tables = [
            (f"{key}/{name}", table.fill)
            for key, base in self._spec.bases.items() if base.app == app
            for name, table in base.tables.items() if table.fill and "rows" not in table.fill
        ]  # fmt: skip
        if not tables:
            return False
        name, made = draw.weighted([((name, fill), int(fill.get("share", 1))) for name, fill in tables])
        return self._made_record(name, made, number, draw)

    def tables(self) -> None:
        """Fill the tables whose spec says how many records they have."""
        for key, base in self._spec.bases.items():
            for name, table in base.tables.items():
                if table.fill and "rows" in table.fill:
                    dealt = {
                        column: Draw(self._spec.seed, "deal", key, name, column).shuffled(
                            [value for value, times in how["deal"].items() for _ in range(times)]
                        )
                        for column, how in table.fill["cells"].items() if isinstance(how, dict) and "deal" in how
                    }  # fmt: skip
                    for number in range(int(table.fill["rows"])):
                        draw = Draw(self._spec.seed, "record", key, name, number)
                        dealing = {
                            column: {"choose": {values[number % len(values)]: 1}} for column, values in dealt.items()
                        }
                        made: Fill = {**table.fill, "cells": {**table.fill["cells"], **dealing}}
                        self._made_record(f"{key}/{name}", made, number, draw)

    def _made_record(self, name: str, made: Fill, number: int, draw: Draw) -> bool:
        people = self._teams.get(str(made.get("by", "")).removeprefix("team:"), self._people)
        person = draw.choice(people)
        corpus = str(made.get("corpus", ""))
        piece = self._pieces.take(corpus, None, None) if corpus else Piece("", "", "", "en", "", "")
        if piece is None:
            return False
        table = self._plan.find(name, "table")
        begin = self._spec.moment(made["begin"]) if "begin" in made else self._spec.begin_ms
        begin = max(begin, table.at if table else 0, person.at)
        created = self._at_work(begin + draw.below((self._spec.epoch_ms - _DAY - begin) // 1000) * 1000, person, draw)
        slots = self._slots("record", number)
        cells = {}
        for column, how in made["cells"].items():
            value = self._cell(column, how, piece, person, created, draw, slots, number)
            if value is not None:
                cells[column] = value
        edited = min(created + draw.below(20 * 86_400) * 1000, self._spec.epoch_ms - 60_000)
        by = draw.choice([person, *self._teams.get(person.values["team"], [])])
        add_record(
            self._traces,
            {"in": name, "by": person.key, "created": created, "edited": edited, "edited_by": by.key, "cells": cells,
             "key": f"day-{number}"},
            None,
            f"record {piece.id}",
        )  # fmt: skip
        return True

    def _cell(
        self,
        column: str,
        how: Any,
        piece: Piece,
        person: Draft,
        created: int,
        draw: Draw,
        slots: texts.Slots,
        number: int,
    ) -> Any:
        if how in ("title", "text"):
            raw = self._casting(piece, [person]) if how == "text" else piece.title
            return (
                texts.plain(texts.parse(raw, lambda key: self._plan.find(key, "person"), self._plan.find, slots))
                or None
            )
        match next(iter(how.items())) if isinstance(how, dict) and how else how:
            case ("choose", choices):
                return draw.weighted([(None if v == "none" else v, weight) for v, weight in choices.items()])
            case ("some", choices):
                return draw.sample(choices, draw.between(1, 2)) or None
            case ("people", team):
                members = self._teams.get(str(team).removeprefix("team:"), self._people)
                return [draw.choice(members).key]
            case ("date", (low, high)):
                return created + draw.between(low, high) * _DAY
            case ("ago", (low, high)):
                return self._spec.epoch_ms - draw.between(low, high) * _DAY - draw.below(28_800) * 1000
            case ("number", (low, high)):
                return draw.between(low, high)
            case ("flag", percent):
                return True if draw.percent(percent) else None
            case ("id", template):
                return make_id(template, self._spec.seed, f"cell.{column}", number)
            case ("slot", name):
                return slots(name, None, None)
            case ("form", form):
                return texts.plain(texts.parse(str(form), lambda _: None, self._plan.find, slots))
        self._plan.refuse("fill", f"unknown filler for {column}: {how!r}")
        return None

    # -- routines ---------------------------------------------------------------------------------------------------

    def routine(self, key: str, routine: Routine, where: str) -> None:
        """Messages that come again and again, each text in turn, with counters that go on."""
        spec = self._spec
        draw = Draw(spec.seed, "routine", key)
        zone = ZoneInfo(spec.zone)
        start = max(spec.begin_ms, spec.moment(routine.since) if routine.since else 0)
        end = min(spec.epoch_ms - 60_000, spec.moment(routine.until) if routine.until else spec.epoch_ms)
        place = self._plan.find(routine.place, "place")
        start = max(start, place.at if place else 0)
        counters = {name: values["start"] for name, values in routine.counters.items()}
        day = datetime.fromtimestamp(start // 1000, UTC).astimezone(zone).replace(hour=0, minute=0, second=0)
        texts_left = draw.shuffled(routine.texts)
        taken = turn = 0
        while int(day.timestamp()) * 1000 < end:
            at = int((day + timedelta(minutes=minutes(routine.at))).timestamp()) * 1000
            fits_day = _WEEK[day.weekday()] in routine.days and (
                routine.holidays or f"{day:%Y-%m-%d}" not in spec.holidays
            )
            taken += fits_day
            local = day
            day += timedelta(days=1)
            if (
                not fits_day
                or (taken - 1) % routine.every
                or not start <= at < end
                or not draw.percent(routine.percent)
            ):
                continue
            for name, values in routine.counters.items():
                counters[name] += draw.between(values["low"], values["high"])
            if not texts_left:
                texts_left = draw.shuffled(routine.texts)
            known = {name: f"{number:,}" if number > 9999 else str(number) for name, number in counters.items()}
            known |= {"date": f"{local.day} {local:%B}", "weekday": f"{local:%A}"}
            slots = _Counted(known, self._slots(f"routine/{key}", turn))
            turns: list[Any] = [{routine.by: _titled(texts_left.pop(), routine.title)}]
            if routine.answers and draw.percent(20):
                turns.append(draw.choice(routine.answers))
            self._traces.thread(routine.place, turns, at, where, key=f"routine/{key}/{turn}", slots=slots)
            turn += 1

    # -- helpers ----------------------------------------------------------------------------------------------------

    def _slots(self, kind: str, number: int) -> texts.Slots:
        return texts.Slots(self._vocabulary, Draw(self._spec.seed, "slots", kind, number))

    def _written(self, kind: str, number: int, piece: Piece, people: list[Draft]) -> dict[str, str]:
        """A piece's title and text as the first of these people types them."""
        voice, draw = people[0].values["voice"], Draw(self._spec.seed, "voice", kind, number)
        return {
            "title": piece.title if kind == "document" else titled(piece.title, voice, draw),
            "text": described(self._casting(piece, people), voice, draw),
        }

    def _casting(self, piece: Piece, people: list[Draft]) -> str:
        """A piece's text whose letters are these people."""
        while len(people) < 6:
            people = [*people, people[-1]]
        return with_people(piece.text, dict(zip(ascii_lowercase, people, strict=False)))

    def _colleagues(self, person: Draft, draw: Draw, size: int) -> list[Draft]:
        near = [p for p in self._teams[person.values["team"]] if p is not person]
        far = [p for p in self._people if p is not person and p not in near]
        colleagues: list[Draft] = []
        for _ in range(size):
            pool = [p for p in (near if near and draw.percent(65) else far) if p not in colleagues]
            if pool:
                colleagues.append(draw.choice(pool))
        return colleagues

    def _at_work(self, at: int, person: Draft, draw: Draw) -> int:
        """Return a time within a person's working hours on the same day or the next working day."""
        zone = ZoneInfo(person.values["zone"])
        day = datetime.fromtimestamp(at // 1000, UTC).astimezone(zone)
        while day.weekday() >= 5 or f"{day:%Y-%m-%d}" in self._spec.holidays:
            day += timedelta(days=1)
        low, high = (minutes(t) for t in person.values["hours"])
        day = day.replace(hour=0, minute=0, second=0) + timedelta(
            minutes=draw.between(low, high), seconds=draw.below(60)
        )
        return int(day.timestamp()) * 1000 + draw.below(1000)

    def _free_slot(self, people: list[Draft], length: int, draw: Draw) -> int | None:
        spec = self._spec
        span = spec.days + spec.ahead
        for attempt in range(12):
            zone = ZoneInfo(people[0].values["zone"])
            day = datetime.fromtimestamp(spec.begin_ms // 1000, UTC).astimezone(zone) + timedelta(days=draw.below(span))
            if day.weekday() >= 5 or f"{day:%Y-%m-%d}" in spec.holidays:
                continue
            low, high = (minutes(t) for t in people[0].values["hours"])
            quarter = draw.between((low + 14) // 15, (high - length) // 15)
            at = int(day.replace(hour=0, minute=0, second=0).timestamp()) * 1000 + quarter * _QUARTER
            if any(p.at >= at or (p.values["own_diary"] and at > spec.epoch_ms) for p in people):
                continue
            clash = any(a < at + length * 60_000 and at < b for p in people for a, b in self._busy.get(p.key, ()))
            if not clash or (attempt > 8 and draw.percent(50)):
                return at
        return None


class _Counted:
    """Slots of a routine: its counters and date first, then vocabularies."""

    def __init__(self, known: dict[str, str], others: texts.Slots) -> None:
        self._known = known
        self._others = others

    def __call__(self, name: str, low: int | None, high: int | None) -> str | None:
        return self._known.get(name) or self._others(name, low, high)


def _titled(text: str, title: str | None) -> Any:
    return {"title": title, "text": text} if title else text
