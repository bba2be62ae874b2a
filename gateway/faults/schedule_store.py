"""Storage of a session's schedule in its context: a counter selects the current one, a table holds their texts.

The table is created with a session's first schedule, so a session without one has no overhead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from soundstage.contexts.engine.store import Context, Meta
from soundstage.gateway.faults.draw import ACTIVE, MUTED, PREFIX, Plan
from soundstage.gateway.faults.schedule import Schedule, parse

_TABLE = "CREATE TABLE IF NOT EXISTS _schedule (key INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"

_MAX_CACHED_PLANS = 256
_plans: dict[int, Plan] = {}  # by key, which is a hash of the schedule


def put(context: Context, meta: Meta, schedule: Schedule | None) -> None:
    """Set a schedule with fresh counters, inside the running step or transaction; None removes the current one."""
    for name in [n for n in meta.counters if n.startswith(PREFIX)]:
        del meta.counters[name]
    if schedule is None:
        return
    context.execute(_TABLE)
    context.execute("INSERT OR IGNORE INTO _schedule VALUES (?, ?)", (schedule.key(), schedule.text()))
    meta.counters[ACTIVE] = schedule.key()


def plan_of(context: Context, meta: Meta) -> Plan | None:
    """Return the current schedule, compiled for draws."""
    key = meta.counters.get(ACTIVE)
    if key is None:
        return None
    plan = _plans.get(key)
    if plan is None:
        row: Any = context.execute("SELECT text FROM _schedule WHERE key = ?", (key,)).fetchone()
        plan = _plans[key] = Plan(parse(orjson.loads(row[0])))
        if len(_plans) > _MAX_CACHED_PLANS:
            del _plans[next(iter(_plans))]
    return plan


def current(context: Context) -> tuple[Mapping[str, Any] | None, dict[str, int]]:
    """Return the current schedule's original data, None without one, and its counters."""
    meta = context.read_meta()
    plan = plan_of(context, meta)
    counters = {n.removeprefix(PREFIX): v for n, v in meta.counters.items() if n.startswith(PREFIX)}
    counters.pop(ACTIVE.removeprefix(PREFIX), None)
    return None if plan is None else plan.schedule.document, counters


def mute(meta: Meta, step: int) -> None:
    """Disable all faults in this step."""
    meta.counters[MUTED] = step
