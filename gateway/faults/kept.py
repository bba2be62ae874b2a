"""The schedule of a session, kept in its context: a counter says which one is in force, a table holds their texts.

The table is made when a session first gets a schedule, so a session without one carries nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from soundstage.contexts.engine.store import Context, Meta
from soundstage.gateway.faults.draw import ACTIVE, MUTED, PREFIX, Plan
from soundstage.gateway.faults.schedule import Schedule, parse

_TABLE = "CREATE TABLE IF NOT EXISTS _schedule (key INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"

_PLANS_KEPT = 256
_plans: dict[int, Plan] = {}  # by key, which is a hash of the schedule


def put(context: Context, meta: Meta, schedule: Schedule | None) -> None:
    """Put a schedule in force, inside the running step or transaction; None ends the one that is. It starts afresh."""
    for name in [n for n in meta.counters if n.startswith(PREFIX)]:
        del meta.counters[name]
    if schedule is None:
        return
    context.execute(_TABLE)
    context.execute("INSERT OR IGNORE INTO _schedule VALUES (?, ?)", (schedule.key(), schedule.text()))
    meta.counters[ACTIVE] = schedule.key()


def plan_of(context: Context, meta: Meta) -> Plan | None:
    """The schedule in force, ready for calls."""
    key = meta.counters.get(ACTIVE)
    if key is None:
        return None
    plan = _plans.get(key)
    if plan is None:
        row: Any = context.execute("SELECT text FROM _schedule WHERE key = ?", (key,)).fetchone()
        plan = _plans[key] = Plan(parse(orjson.loads(row[0])))
        if len(_plans) > _PLANS_KEPT:
            del _plans[next(iter(_plans))]
    return plan


def in_force(context: Context) -> tuple[Mapping[str, Any] | None, dict[str, int]]:
    """The schedule in force as it was given, None without one, and what it remembers."""
    meta = context.read_meta()
    plan = plan_of(context, meta)
    counters = {n.removeprefix(PREFIX): v for n, v in meta.counters.items() if n.startswith(PREFIX)}
    counters.pop(ACTIVE.removeprefix(PREFIX), None)
    return None if plan is None else plan.schedule.document, counters


def mute(meta: Meta, step: int) -> None:
    """Let no fault strike in this step."""
    meta.counters[MUTED] = step
