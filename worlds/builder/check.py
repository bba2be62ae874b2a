"""Whether a world holds: schema, references, order, uniqueness, id formats, nothing that could be real, and its figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from soundstage.contexts.engine.schema import Object, StateError
from soundstage.contexts.engine.state import State
from soundstage.worlds.builder import fill
from soundstage.worlds.builder import text as texts
from soundstage.worlds.builder.chinese import full_width
from soundstage.worlds.builder.drafts import Draft, Plan
from soundstage.worlds.builder.figures import figures
from soundstage.worlds.builder.reading import Fact, facts, id_pattern, own_hosts
from soundstage.worlds.builder.spec import Spec
from soundstage.worlds.builder.wording import WordedEntity, Wording

_SECRETS = re.compile(
    r"(?<![\w-])sk-[A-Za-z0-9_-]{20,}|AKIA[0-9A-Z]{16}|xox[abprs]-[\w-]{10,}|gh[pousr]_\w{30,}|AIza[\w-]{35}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY|eyJ[\w-]{10,}\.eyJ[\w-]{10,}|(?:password|passwd|secret)\s*[=:]\s*\S{6,}",
    re.IGNORECASE,
)
_PHONE = re.compile(r"(?<![\w/.=-])\+\d[\d -]{7,16}\d(?![\w-])|(?<![\w/.=-])1[3-9]\d{9}(?![\w.-])")
# Fictitious numbers that are never assigned: https://en.wikipedia.org/wiki/555_(telephone_number) and Ofcom's numbers for
# drama.
_RESERVED = re.compile(r"\+1\d{3}55501\d\d|\+447700900\d{3}")
_HOSTS = re.compile(r"(?:https?://|[\w.+-]@)([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)")
_RESERVED_HOSTS = re.compile(r"(?:.+\.)?(?:example|test|invalid|localhost|example\.(?:com|org|net))")
_LONG_BEFORE = (
    "root",
    "answers",
    "place",
    "author",
    "by",
    "owner",
    "parent",
    "table",
    "base",
    "calendar",
    "of",
    "space",
    "person",
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A violated rule: its place and a description."""

    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


def check_state(state: State, wording: Wording, spec: Spec | None = None) -> list[Finding]:
    """All findings about a state. With its spec, also those about deliberate exceptions and figures."""
    findings: list[Finding] = []
    dangling = frozenset(spec.dangling) if spec else frozenset()
    own = frozenset().union(*(own_hosts(e) for declared in wording.values() for e in declared.values()))
    for app, entities in state.items():
        keys, moments = _existing(wording[app], entities)
        for name, rows in entities.items():
            entity = wording[app][name]
            for i, row in enumerate(rows):
                findings += _row(entity, row, f"{app}.{name}[{i}]", keys, moments, dangling)
            findings += _twice(entity, rows)
        findings += _real(wording[app], entities, own)
    if spec is not None:
        findings += _bounds(spec, figures(state, wording, spec.zone))
    return findings


def check_plan(plan: Plan, spec: Spec) -> list[Finding]:
    """Check rules that need drafts: nothing names a person before joining or a thing before its creation, and places match."""
    findings = [*_elsewhere(plan, spec)]
    for of_kind in plan.drafts.values():
        for draft in of_kind.values():
            for name, target in _targets(draft):
                known = target.values.get("starts") and target.kind == "person"
                if target.at > draft.at and not known:
                    findings.append(
                        Finding(
                            draft.where or repr(draft),
                            f"{draft.kind} {draft.key}: {name} is {target!r}, which came later",
                        )
                    )
    return findings


def _elsewhere(plan: Plan, spec: Spec) -> Iterator[Finding]:
    """Find people in another city who mention the organisation's rooms as their own or attend meetings in them."""
    city = spec.organisation.city
    rooms = [room.partition(" (")[0] for room in spec.organisation.rooms]
    named = re.compile("|".join(rf"\b{re.escape(room)}\b" for room in rooms)) if rooms else None
    for message in plan.of_kind("message"):
        author = message.values["author"]
        if author.kind != "person" or author.values["here"]:
            continue
        place = f"{message.where or message.key}"
        is_in = f"{author.key} works in {author.values['city']}"
        mention = named.search(texts.plain(message.values["text"])) if named else None
        if message.values.get("local"):
            yield Finding(place, f"{is_in}, and this is talk among those who are in {city}")
        elif mention is not None:
            yield Finding(place, f"{is_in}, and speaks of {mention[0]} in {city}")
    for event in plan.of_kind("event"):
        if (
            event.values["online"]
            or event.values["cancelled"]
            or event.values["location"] not in spec.organisation.rooms
        ):
            continue
        for guest in event.values["guests"]:
            if not guest["person"].values["here"] and guest["answer"] in ("accept", "tentative"):
                yield Finding(
                    event.where or event.key,
                    f"{guest['person'].key} works in {guest['person'].values['city']}, and is to sit in "
                    f"{event.values['location']} in {city}",
                )


def _targets(draft: Draft) -> Iterator[tuple[str, Draft]]:
    for name in _LONG_BEFORE:
        value = draft.values.get(name)
        if isinstance(value, Draft):
            yield name, value
    for guest in draft.values.get("guests", []):
        yield "guests", guest["person"]
    for people in (draft.values.get("to"), draft.values.get("followers")):
        # A kind that an app brings along may mean something else by the name, such as an address.
        yield from (("people", p) for p in people or () if isinstance(p, Draft))
    if draft.kind == "message" and isinstance(draft.values.get("text"), tuple):
        for part in draft.values["text"]:
            if isinstance(part, texts.Reference):
                yield f"{part.form} in the text", part.target


def _existing(
    worded: dict[str, WordedEntity], entities: dict[str, list[Object]]
) -> tuple[dict[str, set[Any]], dict[Any, int]]:
    """Return the existing keys by entity ("" contains all), and the creation time of each if its row has one."""
    keys: dict[str, set[Any]] = {"": set()}
    moments: dict[Any, int] = {}
    for name, rows in entities.items():
        entity = worded[name]
        for row in rows:
            key = row.get(entity.key[-1])
            keys.setdefault(name, set()).add(tuple(row.get(k) for k in entity.key))
            keys[""].add(key)
            for fact in facts(entity, row):
                if fact.form == "moment" and fact.name == "at":
                    moments.setdefault(key, fact.value)
    return keys, moments


def _row(
    entity: WordedEntity,
    row: Object,
    place: str,
    keys: dict[str, set[Any]],
    moments: dict[Any, int],
    dangling: frozenset[str],
) -> Iterator[Finding]:
    try:
        entity.entity.check(row, place)
    except StateError as error:
        yield Finding(error.where, str(error).partition(": ")[2])
        return
    for name in () if entity.entity.open_fields else entity.entity.unknown_fields(row):
        yield Finding(f"{place}.{name}", "is no declared field")
    for name in entity.key:
        if row.get(name) is None:
            yield Finding(f"{place}.{name}", "is missing; it is the key")
    for name in entity.fields:
        template = None if name in entity.worded else entity.entity.table.c[name].info.get("id_format")
        if template and isinstance(row.get(name), str) and not id_pattern(template).fullmatch(row[name]):
            yield Finding(f"{place}.{name}", f"{row[name]!r} has not the form {template}")
    row_facts = list(facts(entity, row))
    yield from _references(entity, row, place, row_facts, keys, dangling)
    yield from _order(place, row_facts, moments)


def _references(
    entity: WordedEntity,
    row: Object,
    place: str,
    row_facts: list[Fact],
    keys: dict[str, set[Any]],
    dangling: frozenset[str],
) -> Iterator[Finding]:
    label = f"{entity.app}.{entity.name}"
    for fact in row_facts:
        if fact.form == "reference" and fact.value not in keys[""] and f"{label}.{fact.column}" not in dangling:
            yield Finding(f"{place}.{fact.column}", f"{fact.name} is {fact.value!r}, which does not exist")
    links = [(parent, link, entity.entity.link_of(row, link)) for parent, link in entity.entity.parents.items()]
    for parent, link, value in links:
        missing = all(part not in (None, "") for part in value) and value not in keys.get(parent, set())
        # A row may hang below another kind that no parent is declared for, such as a base's permissions below its token.
        other = value[-1] in keys[""] or any(v in keys.get(p, set()) for p, _, v in links)
        if missing and not other and not any(f"{label}.{column}" in dangling for column in link):
            yield Finding(f"{place}.{link[-1]}", f"there is no {parent} {'/'.join(map(str, value))}")


def _order(place: str, row_facts: list[Fact], moments: dict[Any, int]) -> Iterator[Finding]:
    at = next((f.value for f in row_facts if f.form == "moment" and f.name == "at"), None)
    if at is None:
        return
    for fact in row_facts:
        if fact.form == "moment" and fact.name in ("edited", "done") and 0 < fact.value < at // 1000 * 1000:
            yield Finding(f"{place}.{fact.column}", f"is {fact.name} before it came to be")
        if fact.form == "reference" and fact.name in _LONG_BEFORE and moments.get(fact.value, at) > at + 999:
            yield Finding(f"{place}.{fact.column}", f"{fact.name} came later than this")


def _twice(entity: WordedEntity, rows: list[Object]) -> Iterator[Finding]:
    seen: dict[tuple[Any, ...], int] = {}
    for i, row in enumerate(rows):
        key = tuple(row.get(k) for k in entity.key)
        if key in seen:
            yield Finding(
                f"{entity.app}.{entity.name}[{i}]", f"has the key of [{seen[key]}]: {'/'.join(map(str, key))}"
            )
        seen[key] = i
    if "person" not in entity.made_from:
        return
    for name in entity.fields:
        if isinstance(filler := entity.filler(name), fill.Of) and filler.name in ("email", "phone"):
            owners: dict[Any, int] = {}
            for i, row in enumerate(rows):
                value = row.get(name)
                if value and value in owners:
                    yield Finding(
                        f"{entity.app}.{entity.name}[{i}].{name}", f"{value} is also that of [{owners[value]}]"
                    )
                owners.setdefault(value, i)


def _real(worded: dict[str, WordedEntity], entities: dict[str, list[Object]], own: frozenset[str]) -> Iterator[Finding]:
    """Find secrets, phone numbers and addresses that could be real, and implausible Chinese text.

    `own` contains the apps' own hosts.
    """
    for name, rows in entities.items():
        entity = worded[name]
        ids = {c for c in entity.fields if "id_format" in entity.entity.table.c[c].info}
        for i, row in enumerate(rows):
            for column, text in _texts(row, ids):
                place = f"{entity.app}.{name}[{i}].{column}"
                if (secret := _SECRETS.search(text)) is not None:
                    yield Finding(place, f"holds what looks like a secret: {secret[0][:12]}…")
                for phone in _PHONE.findall(text):
                    if not _RESERVED.fullmatch(re.sub(r"[ -]", "", phone)):
                        yield Finding(place, f"{phone} is a number that somebody may have; use +1 202 555 0100 to 0199")
                for part in _inside(text):
                    if (wide := full_width(part)) == part:
                        continue
                    at = next(j for j, (a, b) in enumerate(zip(part, wide, strict=False)) if a != b)
                    yield Finding(place, f"Chinese with half-width punctuation: …{part[max(0, at - 8) : at + 4]}…")
                for host in _HOSTS.findall(text):
                    if not _RESERVED_HOSTS.fullmatch(host) and not any(
                        host == o or host.endswith(f".{o}") for o in own
                    ):
                        yield Finding(place, f"{host} may exist; use .example or .test")


def _texts(row: Object, ids: set[str]) -> Iterator[tuple[str, str]]:
    for column, value in row.items():
        if column not in ids:
            for text in _strings(value):
                yield column, text


def _inside(text: str) -> Iterator[str]:
    """A text, or those inside it where it is JSON."""
    if text.startswith(("{", "[")):
        try:
            return _strings(orjson.loads(text))
        except orjson.JSONDecodeError:
            pass
    return iter((text,))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def _bounds(spec: Spec, measured: dict[str, float]) -> Iterator[Finding]:
    for name, bound in spec.bounds.items():
        value = measured.get(name)
        if value is None:
            yield Finding(f"bounds.{name}", f"is no figure; known: {', '.join(measured)}")
        elif bound.low is not None and value < bound.low:
            yield Finding(f"bounds.{name}", f"is {value:g}, below {bound.low:g}")
        elif bound.high is not None and value > bound.high:
            yield Finding(f"bounds.{name}", f"is {value:g}, above {bound.high:g}")
