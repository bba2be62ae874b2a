"""Compare a call's changes with the recorded changes of the real server, if the recording contains them.

Recordings name objects by entity: `effects` lists created, updated and deleted objects with their relevant members;
`state_after` maps the keys of an entity to contents afterwards. Generated values (ids, times) differ from run to run: created
objects are paired in order, and their ids are treated as equal wherever they occur.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from soundstage.contexts.apps import meaning_of, tables_of
from soundstage.contexts.engine.journal import Change
from soundstage.contexts.engine.schema import Entity, Object
from soundstage.synthesis.fidelity.canonical import canonical
from soundstage.synthesis.fidelity.masks import Key, Mask, Path, Pattern, masks_of
from soundstage.synthesis.fidelity.traces import Effects, Expected
from soundstage.synthesis.traverse.places import map_texts

_CHANGES = {"insert": "created", "update": "updated", "delete": "deleted"}
_CHANGE_MEMBER = "change"  # the member of a recorded effect that names the kind of change
_ABSENT: Any = object()


@dataclass(slots=True)
class Difference:
    """The differences as text, and the parts of the recording that could not be compared, with the reason."""

    findings: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Aftermath:
    """The result of a simulated call: the changed rows, and the app's objects afterwards by entity."""

    changes: Sequence[Change] = ()
    objects: Mapping[str, Sequence[Object]] = field(default_factory=dict)


def difference(app: str, expect: Expected, ours: Aftermath) -> Difference:
    """Compare the result of a call with its recorded effects."""
    result = Difference()
    hidden = _hidden(expect.volatile)
    if expect.effects is not None:
        _compare_effects(app, expect.effects, ours, hidden, result)
    for name, wanted in (expect.state_after or {}).items():
        kind = _stored_kind(app, name)
        if kind is None:
            result.remarks.append(f"expect.state_after: {app} has no entity {name!r} to compare")
        else:
            _compare_contents(kind, wanted, ours.objects.get(kind.name, ()), result)
    return result


def _compare_effects(app: str, recorded: Effects, ours: Aftermath, hidden: list[Mask], result: Difference) -> None:
    rows = _changed_rows(app, ours)
    same_ids: dict[str, str] = {}
    facing: list[tuple[Entity, str, Object, Object]] = []
    for name, objects in recorded.items():
        entity = tables_of(app).entities.get(name)
        if entity is None:
            result.remarks.append(f"expect.effects: {app} has no entity {name!r} to compare")
            continue
        for change in _CHANGES.values():
            wanted = [o for o in objects if o[_CHANGE_MEMBER] == change]
            got = rows.pop((name, change), [])
            for mine, theirs in _paired(entity, change, got, wanted):
                if mine is None:
                    shown = "one more" if change == "created" else _key(entity, theirs or {})
                    result.findings.append(f"effects: no {name} was {change}, recorded {shown}")
                elif theirs is None:
                    result.findings.append(f"effects: {name} {_key(entity, mine)} was {change}, which is not recorded")
                else:
                    facing.append((entity, change, mine, theirs))
                    same_ids |= {str(theirs[k]): str(mine[k]) for k in entity.key if k in theirs and k in mine}
    for (name, change), got in rows.items():
        result.findings += [f"effects: {name} {_key(tables_of(app).entities[name], row)} was {change}, which is not recorded"
                           for row in got]  # fmt: skip
    for entity, change, mine, theirs in facing:
        for member, value in theirs.items():
            if member == _CHANGE_MEMBER or (change == "created" and member in entity.key):
                continue
            actual = _member(mine, member)
            if actual is _ABSENT and member not in entity.fields and value is not None:
                result.remarks.append(f"expect.effects: {app}'s {entity.name} has no {member!r} to compare")
                continue
            wanted = _renamed(value, same_ids)
            shown = _recorded_parts(None if actual is _ABSENT else actual, wanted)
            ours_text, wanted_text = (canonical(_masked({member: v}, hidden)) for v in (shown, wanted))
            if ours_text != wanted_text:
                result.findings.append(f"effects: {change} {entity.name} has {ours_text}, recorded {wanted_text}")


def _changed_rows(app: str, ours: Aftermath) -> dict[tuple[str, str], list[Object]]:
    """Return the complete changed rows by entity and change, without automatic changes of the app."""
    meaning = meaning_of(app)
    result: dict[tuple[str, str], list[Object]] = {}
    for change in ours.changes:
        entity = tables_of(app).entities[change["entity"]]
        if change["app"] != app or entity.name in meaning.bookkeeping:
            continue
        after, before = change["after"] or {}, change["before"] or {}
        if change["op"] == "update":
            if all(meaning.sets_itself(entity.name, (name,)) for name in {**before, **after}):
                continue
            row = next((o for o in ours.objects.get(entity.name, ()) if _is(entity, o, change["id"])), after)
        else:
            row = after or before
        result.setdefault((entity.name, _CHANGES[change["op"]]), []).append(row)
    return result


def _paired(
    entity: Entity, change: str, ours: list[Object], recorded: list[Object]
) -> Iterator[tuple[Object | None, Object | None]]:
    """Pair rows that should be equal: created ones in order, others by key; None if one side lacks the row."""
    if change == "created":
        for i in range(max(len(ours), len(recorded))):
            yield ours[i] if i < len(ours) else None, recorded[i] if i < len(recorded) else None
        return
    mine = {_key(entity, row): row for row in ours}
    for theirs in recorded:
        yield mine.pop(_key(entity, theirs), None), theirs
    yield from ((row, None) for row in mine.values())


def _compare_contents(
    entity: _StoredKind, wanted: Mapping[str, Any], objects: Sequence[Object], result: Difference
) -> None:
    """Compare the recorded contents of an entity by key; None means that the object does not exist."""
    rows = {_key(entity, row): row for row in objects}
    for key, content in wanted.items():
        row = rows.get(key)
        if content is None or row is None:
            if (content is None) != (row is None):
                state = "is there" if row is not None else "is not there"
                result.findings.append(f"state after: {entity.name} {key} {state}, recorded otherwise")
            continue
        members = content if isinstance(content, dict) else {"content": content}
        for member, value in members.items():
            actual = _member(row, member)
            if actual is _ABSENT:
                result.remarks.append(f"expect.state_after: {entity.name} has no {member!r} to compare")
                continue
            ours, recorded = canonical({member: actual}), canonical({member: value})
            if ours != recorded:
                result.findings.append(f"state after: {entity.name} {key} has {ours}, recorded {recorded}")


def _entity(app: str, name: str) -> Entity | None:
    entities = tables_of(app).entities
    return entities.get(name) or entities.get(name.removesuffix("s"))


class _StoredKind(NamedTuple):
    """Objects of one kind in an app's state: an entity's rows, or files on the session's disk."""

    name: str
    key: tuple[str, ...]


def _stored_kind(app: str, name: str) -> _StoredKind | None:
    if (entity := _entity(app, name)) is not None:
        return _StoredKind(entity.name, entity.key)
    view = next((v for v in (name, name.removesuffix("s")) if v in tables_of(app).views), None)
    return None if view is None else _StoredKind(view, ("path",))


def _key(entity: Entity | _StoredKind, row: Mapping[str, Any]) -> str:
    return "/".join(str(row.get(name)) for name in entity.key)


def _is(entity: Entity, row: Mapping[str, Any], key: Any) -> bool:
    parts = key if isinstance(key, list) else [key]
    return [row.get(name) for name in entity.key] == parts


def _member(row: Mapping[str, Any], name: str) -> Any:
    """Return a member of an object or of a nested object: recordings have `headers` for a row's `payload.headers`."""
    level: list[Mapping[str, Any]] = [row]
    while level:
        for value in level:
            if name in value:
                return value[name]
        level = [inner for value in level for inner in value.values() if isinstance(inner, dict)]
    return _ABSENT


def _renamed(value: Any, ids: Mapping[str, str]) -> Any:
    """Replace generated ids in a recorded value with the simulated app's ids."""
    return map_texts(value, lambda text: ids.get(text, text))


def _recorded_parts(ours: Any, recorded: Any) -> Any:
    """Drop the parts of our value that the recording omits: empty members at any depth, and unmentioned named values."""
    if isinstance(ours, dict) and isinstance(recorded, dict):
        return {n: _recorded_parts(v, recorded.get(n)) for n, v in ours.items() if v is not None or n in recorded}
    if (mine := _named(ours)) is not None and (theirs := _named(recorded)) is not None:
        return [item for name, item in mine if name in {name for name, _ in theirs}]
    if isinstance(ours, list) and isinstance(recorded, list) and len(ours) == len(recorded):
        return [_recorded_parts(mine, theirs) for mine, theirs in zip(ours, recorded, strict=True)]
    return ours


def _named(value: Any) -> list[tuple[str, Any]] | None:
    """Return a list of {name, value} items, such as headers, as (name, item) pairs; None for anything else."""
    if not isinstance(value, list) or not all(isinstance(i, dict) and i.keys() == {"name", "value"} for i in value):
        return None
    return [(str(item["name"]), item) for item in value]


def _hidden(volatile: Sequence[str]) -> list[Mask]:
    """Return masks for an object's members from masks of the reply: the last member of each path, at any place."""
    result: list[Mask] = []
    for mask in masks_of(volatile):
        match mask:
            case Path(steps=[*_, str(last)]) if last != "*":
                result.append(Key(last))
            case Key() | Pattern():
                result.append(mask)
    return result


def _masked(value: Any, hidden: Sequence[Mask]) -> Any:
    for mask in hidden:
        value = mask.apply(value)
    return value
