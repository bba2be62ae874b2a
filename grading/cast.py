"""Resolve a task's names: rows of the world by key, and people by their ids in each app."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from soundstage.contexts.apps import tables_for, tables_of
from soundstage.grading.evidence import Key, NoSuchRow, Record, joined_key
from soundstage.grading.matchers import Reading, all_fit
from soundstage.grading.task import Name, Task

WorldNames = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""App → entity → the world's key of a row → its id; a list for keys with several columns."""

People = dict[str, dict[str, frozenset[str]]]
"""Person of the world → app → the person's ids."""


def find_people(record: Record, named: WorldNames, apps: tuple[str, ...]) -> People:
    """Return all people of the world, with the key and other id-like values of each account."""
    result: People = {}
    for app in apps:
        declared = tables_of(app).entities.get("user")
        if declared is None:
            continue
        ids = [c.name for c in declared.table.columns if "id_format" in c.info]
        rows = {key[2]: row for key, row in record.rows(app, "user")}
        for person, key in named.get(app, {}).get("user", {}).items():
            account = joined_key(app, "user", key)[2]
            row = rows.get(account, {})
            result.setdefault(person, {})[app] = frozenset({account, *(str(row[n]) for n in ids if row.get(n))})
    return result


def find_names(task: Task, record: Record, named: WorldNames, people: People, zone: ZoneInfo) -> dict[str, Key]:
    """Return the rows of a task's names.

    Raises:
        NoSuchRow: A name matches no row, or several.
    """
    return {name: _row_named(name, wanted, task, record, named, people, zone) for name, wanted in task.names.items()}


def _row_named(
    name: str, wanted: Name, task: Task, record: Record, named: WorldNames, people: People, zone: ZoneInfo
) -> Key:
    tables = tables_for(task.apps).get(wanted.app)  # includes shared state: the disk, site data
    if tables is None or wanted.entity not in tables.entities:
        raise NoSuchRow(f"names.{name}: the session has no {wanted.app} {wanted.entity}")
    if wanted.world is not None:
        keys = named.get(wanted.app, {}).get(wanted.entity, {})
        if wanted.world not in keys:
            raise NoSuchRow(f"names.{name}: the world calls no {wanted.app} {wanted.entity} {wanted.world!r}")
        return joined_key(wanted.app, wanted.entity, keys[wanted.world])
    reading = Reading(zone, 0, lambda person, app: people.get(person, {}).get(app, frozenset()))
    reading.app = wanted.app
    text = record.declaration(wanted.app, wanted.entity).text
    fitting = [key for key, row in record.rows(wanted.app, wanted.entity) if all_fit(wanted.where, row, text, reading)]
    if len(fitting) != 1:
        raise NoSuchRow(f"names.{name}: `where` fits {len(fitting)} rows of {wanted.app} {wanted.entity}, expected one")
    return fitting[0]
