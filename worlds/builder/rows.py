"""Drafts become rows: each column's filler is compiled to a function, once, and run for every draft."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from itertools import chain
from typing import Any, Protocol
from zoneinfo import ZoneInfo

import orjson

from soundstage.contexts.engine.clock import from_ms, iso
from soundstage.contexts.engine.ids import make_id
from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.contexts.engine.state import State
from soundstage.source import Mistake
from soundstage.worlds.builder import fill
from soundstage.worlds.builder import text as texts
from soundstage.worlds.builder.drafts import Draft, Plan
from soundstage.worlds.builder.draw import Draw
from soundstage.worlds.builder.markdown import pieces
from soundstage.worlds.builder.wording import WordedEntity, Wording

_NAMED = re.compile(r"\{([\w.]+)(?:\|(\w+))?\}")
_WORD = re.compile(r"[A-Za-z0-9]+")


class Writer(Protocol):
    """A source of free text: the corpora, or a model."""

    def write(
        self, kind: str, part: str, topic: str | None, person: Draft | None, key: str, words: tuple[int, int]
    ) -> str | None:
        """A text, or None where there is none of that kind left."""

    def quote(self, corpus: str, part: str, key: str) -> str | None:
        """A text of a corpus with identities masked."""


@dataclass(slots=True)
class Row:
    """The input of fillers: the draft, the entity, the current element of a list, and the columns made so far."""

    draft: Draft
    entity: WordedEntity
    it: Any = None
    index: int = 0
    made: dict[str, Any] = field(default_factory=dict)


Fill = Callable[[Row], Any]
Names = dict[str, dict[str, dict[str, Any]]]
"""App → entity → what the sources call a row → its key: a value, or for keys of several columns their list."""


class RowMaker:
    """Makes the rows of all apps from a plan."""

    def __init__(self, plan: Plan, wording: Wording, seed: int, world: dict[str, Any], writer: Writer) -> None:
        self._plan = plan
        self._wording = wording
        self._seed = seed
        self._world = world
        self._writer = writer
        self._ids: dict[tuple[str, Draft], Any] = {}
        self._columns: dict[WordedEntity, dict[str, Fill]] = {}
        self._beside: dict[WordedEntity, list[Fill]] = {}
        self._zone = ZoneInfo(world["zone"])
        self._counts: dict[tuple[str, str], dict[Draft, int]] = {}
        self._drawn: dict[tuple[str, str], list[Draft]] = {}
        self._places: dict[WordedEntity, dict[Draft, int]] = {}
        self.names: Names = {}

    def state(self, progress: Callable[[str, int, int], None] = lambda *_: None) -> State:
        """Return all rows in order of creation, or in the order of the list that shows them. Fills `names`."""
        state: State = {}
        total = sum(len(list(self._drafts(e))) for entities in self._wording.values() for e in entities.values())
        done = 0
        for app, entities in self._wording.items():
            for entity in entities.values():
                rows: list[Object] = []
                for draft in sorted(self._drafts(entity), key=_place_in_order):
                    rows.append(self.row(entity, draft))
                    self._name(entity, draft, rows[-1])
                    done += 1
                    if done % 1000 == 0:
                        progress("rows", done, total)
                if rows:
                    state.setdefault(app, {})[entity.name] = rows
        progress("rows", total, total)
        return state

    def _name(self, entity: WordedEntity, draft: Draft, row: Object) -> None:
        named = self.names.setdefault(entity.app, {}).setdefault(entity.name, {})
        name = draft.named or draft.key
        if name in named:
            self._plan.refuse(draft.where, f"two rows of {entity.app}.{entity.name} are called {name!r}")
        key = [row.get(column) for column in entity.key]
        named[name] = key[0] if len(key) == 1 else key

    def _drafts(self, entity: WordedEntity) -> Iterator[Draft]:
        return chain.from_iterable(self._plan.of_kind(kind, entity.app) for kind in entity.made_from)

    def row(self, entity: WordedEntity, draft: Draft) -> Object:
        """One draft as a row of one entity: absent attributes are absent fields."""
        row = Row(draft, entity)
        value: Object = {}
        for name in self._fills(entity):
            cell = self._cell(row, name)
            if cell is not ABSENT:
                value[name] = cell
        for fields in self._beside_of(entity):
            if (extra := fields(row)) is not ABSENT:
                value |= extra
        also = draft.values.get("also")
        return {**value, **also} if also else value

    def _cell(self, row: Row, name: str) -> Any:
        if name not in row.made:
            row.made[name] = self._fills(row.entity)[name](row)
        return row.made[name]

    def _fills(self, entity: WordedEntity) -> dict[str, Fill]:
        fills = self._columns.get(entity)
        if fills is None:
            fills = self._columns[entity] = {name: self._column(entity, name) for name in entity.fields}
        return fills

    def _beside_of(self, entity: WordedEntity) -> list[Fill]:
        fills = self._beside.get(entity)
        if fills is None:
            fills = self._beside[entity] = [
                self._compiled(fields, f"{entity.app}.{entity.name}.{name}.beside", entity)
                for name, fields in entity.beside.items()
            ]
        return fills

    def _column(self, entity: WordedEntity, name: str) -> Fill:
        filler = entity.filler(name)
        own = name == entity.key[-1] and isinstance(filler, fill.Random)
        if own:
            return lambda row: self.key(entity.app, row.draft)
        return self._compiled(filler, f"{entity.app}.{entity.name}.{name}", entity)

    # -- keys -------------------------------------------------------------------------------------------------------

    def entity_of(self, app: str, draft: Draft) -> WordedEntity | None:
        """Return the (first) entity of an app whose rows are made from drafts of this kind."""
        return next((e for e in self._wording[app].values() if draft.kind in e.made_from), None)

    def key(self, app: str, draft: Draft) -> Any:
        """Return a draft's key in an app: the last key column of its entity."""
        key = self._ids.get((app, draft))
        if key is None:
            entity = self.entity_of(app, draft)
            if entity is None:
                return ABSENT
            name = entity.key[-1]
            account = draft.values.get("accounts", {}).get(app, {})
            if name in account:
                key = account[name]
            elif isinstance(filler := entity.filler(name), fill.Random) and filler.template:
                key = make_id(filler.template, self._seed, f"{app}.{entity.name}\x00{draft.key}", 0)
            else:
                key = self._cell(Row(draft, entity), name)
            self._ids[app, draft] = key
        return key

    def link(self, app: str, draft: Draft) -> str:
        """The address of a draft, in the app it lives in."""
        home = draft.app or app
        for entity in self._wording[home].values():
            if draft.kind in entity.made_from and entity.link:
                return self._filled_in(entity.link, Row(draft, entity))
        return str(draft.values.get("title") or draft.values.get("name") or draft.key)

    def _filled_in(self, form: str, row: Row) -> str:
        return _NAMED.sub(lambda match: _put(self._named(row, match[1]), match[2]), form)

    # -- fillers ----------------------------------------------------------------------------------------------------

    def _compiled(self, filler: Any, label: str, entity: WordedEntity) -> Fill:
        app = entity.app

        def inner(part: Any, name: str | int) -> Fill:
            return self._compiled(part, f"{label}.{name}", entity)

        match filler:
            case None:
                return lambda row: ABSENT
            case fill.Enumerate(choices) if len(choices) == 1:
                only = choices[0][0]
                return lambda row: only
            case fill.Enumerate(choices):
                return lambda row: Draw(self._seed, label, row.draft.key, _of_it(row)).weighted(choices)
            case fill.Random(str(template), _, _, _, once, per):
                if once and per:
                    return lambda row: make_id(
                        template, self._seed, f"{app}\x00{once}\x00{(self._attribute(row, per) or row.draft).key}", 0
                    )
                if once:
                    return lambda row: make_id(template, self._seed, f"{app}\x00{once}", 0)
                if per:
                    return lambda row: make_id(
                        template, self._seed, f"{label}\x00{(self._attribute(row, per) or row.draft).key}", 0
                    )
                return lambda row: make_id(template, self._seed, f"{label}\x00{row.draft.key}\x00{_of_it(row)}", 0)
            case fill.Random(_, low, high, step, _, _):
                steps = (high - low) // step
                return lambda row: low + step * Draw(self._seed, label, row.draft.key, _of_it(row)).between(0, steps)
            case fill.FreeForm(str(kind), part, topic, words):
                return lambda row: _given(
                    self._writer.write(kind, part, topic or row.draft.values.get("topic"), _speaker(row.draft),
                                       f"{app}.{row.draft.key}", words))  # fmt: skip
            case fill.Authentic(corpus, part):
                return lambda row: _given(self._writer.quote(corpus, part, f"{app}.{row.draft.key}"))
            case fill.Of(name, otherwise):
                instead = inner(otherwise, "otherwise")
                return lambda row: instead(row) if (value := self._attribute(row, name)) is None else _flat(value)
            case fill.Key(name, drawn_from):
                return lambda row: self._key(row, name, drawn_from, label)
            case fill.Moment(name, "snowflake", _, otherwise):
                instead = inner(otherwise, "otherwise")
                return lambda row: (
                    instead(row)
                    if (at := self._attribute(row, name)) is None
                    else _snowflake(at, Draw(self._seed, label, row.draft.key))
                )
            case fill.Moment(name, unit, as_text, otherwise):
                instead = inner(otherwise, "otherwise")
                return lambda row: (
                    instead(row)
                    if (at := self._attribute(row, name)) is None
                    else self._local(at)
                    if unit == "local"
                    else format_datetime(datetime.fromtimestamp(at // 1000, self._zone))
                    if unit == "mail"
                    else written(at, unit, as_text)
                )
            case fill.Text(name, mention, link):
                return lambda row: self._text(row, name, mention, link)
            case fill.Shape(fields):
                parts = [(name, inner(part, name)) for name, part in fields]
                return lambda row: {n: v for n, made in parts if (v := made(row)) is not ABSENT}
            case fill.Items(name, item):
                each = inner(item, "it")
                return lambda row: self._items(row, name, each)
            case fill.Pieces(name, item):
                each_piece = inner(item, "it")
                return lambda row: self._pieces(row, name, each_piece)
            case fill.Several(parts_):
                made_parts = [inner(part, i) for i, part in enumerate(parts_)]
                return lambda row: _end_to_end(made(row) for made in made_parts)
            case fill.Case(name, cases, otherwise):
                by_value = {value: inner(part, str(value)) for value, part in cases}
                instead = inner(otherwise, "otherwise")
                return lambda row: self._case(row, name, by_value, instead)
            case fill.JsonText(nested):
                made_inner = inner(nested, "json")
                return lambda row: ABSENT if (v := made_inner(row)) is ABSENT else orjson.dumps(v).decode()
            case fill.Form(template, form_parts):
                named = {name: inner(part, name) for name, part in form_parts}
                return lambda row: _NAMED.sub(
                    lambda match: _put(
                        named[match[1]](row) if match[1] in named else self._named(row, match[1]), match[2]
                    ),
                    template,
                )
            case fill.Entries(name, over, entry):
                made_entry = inner(entry, "value")
                return lambda row: self._entries(row, name, over, made_entry)
            case fill.Cell(name, column):
                return lambda row: self._cell_of(app, self._attribute(row, name), column)
            case fill.Joined(listed, between):
                made_list = inner(listed, "joined")
                return lambda row: ABSENT if (v := made_list(row)) is ABSENT else between.join(map(str, v))
            case fill.Figure(counted, above, sign):
                made_number = inner(counted, "figure")
                return lambda row: ABSENT if (v := made_number(row)) is ABSENT else shown(v, above, sign)
            case fill.Encoded(plain, alphabet):
                made_plain = inner(plain, "encoded")
                return lambda row: ABSENT if (v := made_plain(row)) is ABSENT else in_base64(v, alphabet)
            case fill.Shortened(long, letters):
                made_long = inner(long, "shortened")
                return lambda row: ABSENT if (v := made_long(row)) is ABSENT else shortened(v, letters)
            case fill.Count(kind, name, as_flag):
                return lambda row: self._count(row.draft, kind, name, as_flag)
            case fill.Ordinal(first):
                return lambda row: first + self._place_of(row)
            case _:
                self._plan.mistakes.append(Mistake(label, f"unknown filler {filler!r}"))
                return lambda row: ABSENT

    def _attribute(self, row: Row, path: str) -> Any:
        value: Any = row
        for i, name in enumerate(path.split(".")):
            if i == 0:
                match name:
                    case "it":
                        value = row.it
                    case "index":
                        value = row.index
                    case "nth":
                        value = row.index + 1
                    case "world":
                        value = self._world
                    case _:
                        value = self._step(row.draft, name, row.entity.app)
            else:
                value = self._step(value, name, row.entity.app)
            if value is None:
                return None
        return value

    def _step(self, value: Any, name: str, app: str) -> Any:
        if isinstance(value, dict):
            return value.get(name)
        if isinstance(value, list):
            return _of_list(value, name)
        if isinstance(value, tuple):
            return len(texts.plain(value).encode()) if name == "bytes" else None
        if not isinstance(value, Draft):
            return None
        match name:
            case "self":
                return value
            case "account":
                return value.values.get("accounts", {}).get(app)
            case "uid":  # for ids that several objects share a part of
                return make_id("{uuid4}", self._seed, f"{value.kind}\x00{value.key}", 0)
            case _:
                return value.get(name)

    def _named(self, row: Row, name: str) -> Any:
        """For forms: a column of the row, or an attribute."""
        if name in row.entity.fields:
            value = self._cell(row, name)
            return "" if value is ABSENT else value
        value = self._attribute(row, name)
        return "" if value is None else _flat(value)

    def _key(self, row: Row, name: str, kind: str | None, label: str) -> Any:
        target = self._attribute(row, name)
        if target is None and kind is not None:
            target = self._draw(row, kind, label)
        if target is None:
            return ABSENT
        if isinstance(target, list):
            return [self.key(row.entity.app, one) for one in target]
        return self.key(row.entity.app, target) if isinstance(target, Draft) else target

    def _cell_of(self, app: str, target: Any, column: str) -> Any:
        entity = self.entity_of(app, target) if isinstance(target, Draft) else None
        return ABSENT if entity is None else self._cell(Row(target, entity), column)

    def _draw(self, row: Row, kind: str, label: str) -> Draft | None:
        app = row.entity.app
        pool = self._drawn.get((app, kind))
        if pool is None:
            pool = self._drawn[app, kind] = sorted(self._plan.of_kind(kind, app), key=lambda d: d.at)
        existing = [d for d in pool if d.at <= row.draft.at and d is not row.draft]
        return Draw(self._seed, label, row.draft.key).choice(existing) if existing else None

    def _text(self, row: Row, name: str, mention: str, link: str) -> Any:
        value = self._attribute(row, name)
        if value is None:
            return ABSENT
        if isinstance(value, str):
            return value
        app = row.entity.app

        def mentioned(person: Draft, number: int) -> str:
            return mention.format(name=person.values["name"], id=self.key(app, person), n=number)

        def linked(target: Draft) -> str:
            return link.format(url=self.link(app, target), name=target.values.get("title", target.key))

        return texts.render(value, mentioned, linked)

    def _local(self, at: int) -> str:
        return datetime.fromtimestamp(at / 1000, self._zone).isoformat(timespec="milliseconds")

    def _pieces(self, row: Row, name: str, each: Fill) -> Any:
        app = row.entity.app
        cells = []
        for i, piece in enumerate(pieces(self._attribute(row, name) or ())):
            target = piece.get("target")
            if piece["form"] == "link" and isinstance(target, Draft):
                piece = {**piece, "url": self.link(app, target), "here": target.in_app(app)}
            cells.append(each(Row(row.draft, row.entity, piece, i, row.made)))
        return cells

    def _items(self, row: Row, name: str, each: Fill) -> Any:
        values = self._attribute(row, name)
        if values is None:
            return []
        if isinstance(values, tuple):  # text: an item for each of its lines
            values = texts.lines(values)
        cells = []
        for i, value in enumerate(values):
            made = each(Row(row.draft, row.entity, value, i, row.made))
            if made is not ABSENT:
                cells.append(made)
        return cells

    def _entries(self, row: Row, name: str, over: str, value: Fill) -> Any:
        values = self._attribute(row, name) or {}
        entries: Object = {}
        for i, one in enumerate(self._attribute(row, over) or []):
            called = one.values["name"]
            given = values.get(called)
            chosen = [
                option for option in one.values.get("choices", ())
                if option.values["name"] == given or (isinstance(given, list) and option.values["name"] in given)
            ]  # fmt: skip
            it = {"of": one, "value": given, "key": called, "options": chosen, "option": next(iter(chosen), None)}
            made = value(Row(row.draft, row.entity, it, i, row.made))
            if made is not ABSENT:
                entries[called] = made
        return entries

    def _case(self, row: Row, name: str, cases: dict[Any, Fill], instead: Fill) -> Any:
        value = self._attribute(row, name)
        if not isinstance(value, list | dict | tuple) and value in cases:
            return cases[value](row)
        there = "present" if value not in (None, [], (), "") else "absent"
        return cases.get(there, instead)(row)

    def _place_of(self, row: Row) -> int:
        """How many rows of its entity come before a row."""
        places = self._places.get(row.entity)
        if places is None:
            drafts = sorted(self._drafts(row.entity), key=_place_in_order)
            places = self._places[row.entity] = {draft: i for i, draft in enumerate(drafts)}
        return places[row.draft]

    def _count(self, draft: Draft, kind: str, name: str, as_flag: bool) -> int | bool:
        counted = self._counts.get((kind, name))
        if counted is None:
            counted = self._counts[kind, name] = {}
            for other in self._plan.of_kind(kind):
                target = other.get(name)
                for one in target if isinstance(target, list) else [target]:
                    if isinstance(one, Draft):
                        counted[one] = counted.get(one, 0) + 1
        number = counted.get(draft, 0)
        return number > 0 if as_flag else number


def _put(value: Any, how: str | None) -> str:
    """A value in a form's place."""
    words = _WORD.findall(str(value)) if how else []
    match how:
        case "slug":
            return "".join(f"{word}-" for word in words)
        case "snake":
            return "_".join(words).lower()[:50]
        case "bare":
            return "".join(words)
        case _:
            return str(value)


def _snowflake(at: int, draw: Draw) -> str:
    chance = draw.between(0, 2**fill.SNOWFLAKE_BITS - 1)
    return str(((at - fill.SNOWFLAKE_EPOCH_MS) << fill.SNOWFLAKE_BITS) | chance)


def _place_in_order(draft: Draft) -> int:
    order: int = draft.values.get("order", draft.at)
    return order


def shown(number: int, above: int | None, sign: str) -> str:
    """A figure as pages show it: 1234, 1.2万."""
    if above is None or number < above:
        return str(number)
    tenths = number * 10 // above
    return f"{tenths // 10}{f'.{tenths % 10}' if tenths % 10 else ''}{sign}"


def in_base64(text: str, alphabet: str) -> str:
    """A text's bytes in base64, of either alphabet."""
    data = text.encode()
    return (base64.urlsafe_b64encode(data) if alphabet == "base64url" else base64.b64encode(data)).decode()


def shortened(text: str, letters: int) -> str:
    """A text's first letters, up to the end of a word, its lines joined."""
    joined = " ".join(text.split())
    return joined if len(joined) <= letters else joined[:letters].rpartition(" ")[0] or joined[:letters]


def written(at: int, unit: fill.Unit, as_text: bool) -> Any:
    """Format a time as an API writes it."""
    match unit:
        case "ms":
            return str(at) if as_text else at
        case "s":
            return str(at // 1000) if as_text else at // 1000
        case "us":
            # A world's clock has milliseconds; the further decimals are derived from the time itself.
            return f"{at // 1000}.{at % 1000:03}{at // 1000 % 997:03}"
        case "hex":
            return f"{at // 1000:08x}"
        case "iso":
            return iso(at)
        case "iso-s":
            return from_ms(at).strftime("%Y-%m-%dT%H:%M:%S+0000")
        case "iso-z":
            return from_ms(at).strftime("%Y-%m-%dT%H:%M:%SZ")
        case "utc-date":
            return from_ms(at).strftime("%Y-%m-%d")
        case "date":
            # A day that was given as local midnight: half a day later it is the same day in UTC, wherever that was.
            return datetime.fromtimestamp(at / 1000 + 43_200, UTC).strftime("%Y-%m-%d")


def _speaker(draft: Draft) -> Draft | None:
    for name in ("author", "by", "owner", "person"):
        speaker = draft.values.get(name)
        if isinstance(speaker, Draft):
            return speaker
    return draft if draft.kind == "person" else None


def _of_it(row: Row) -> str:
    it = row.it
    if isinstance(it, dict):
        it = next((v for v in it.values() if isinstance(v, Draft)), None) or it.get("key", "")
    return it.key if isinstance(it, Draft) else "" if it is None or isinstance(it, tuple) else str(it)


def _of_list(values: list[Any], name: str) -> Any:
    """`count` and `last` of a list; any other name is that attribute of each element, each value once."""
    match name:
        case "count":
            return len(values)
        case "last":
            return values[-1] if values else None
        case _:
            attributes = (value.get(name) for value in values if isinstance(value, Draft | dict))
            return list(dict.fromkeys(value for value in attributes if value is not None))


def _flat(value: Any) -> Any:
    """Convert an attribute to its form in a row: text that is not declared as such loses its references."""
    if isinstance(value, tuple):
        return texts.plain(value)
    return value.key if isinstance(value, Draft) else value


def _given(value: str | None) -> Any:
    return ABSENT if value is None else value


def _end_to_end(values: Iterator[Any]) -> list[Any]:
    joined: list[Any] = []
    for value in values:
        if isinstance(value, list):
            joined += value
        elif value is not ABSENT:
            joined.append(value)
    return joined
