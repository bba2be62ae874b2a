"""Journal summaries: the totals of a session's calls, and the steps on a page of its timeline."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.store import Context
from soundstage.gateway.journal.lines import Line, lines
from soundstage.servers.catalogue import app_names, load_app

_MAX_CACHED_TOTALS = 5000
_AT_ONCE_S = 0.002
"""Approximate seconds that calls wait while a part of a journal is read."""
_FIRST, _MOST = 100, 20_000  # steps in one part


@dataclass(frozen=True, slots=True)
class Totals:
    """A session's calls so far.

    The members about the last call are None before the first one: its app and tool, the time (the session's clock), and the
    program that made it, which is also None if it did not send its name.
    """

    step: int
    calls: int
    failed: int
    faults: int
    last_app: str | None
    last_tool: str | None
    last_at_ms: int | None
    last_client: str | None


@dataclass(frozen=True, slots=True)
class StepFilter:
    """A filter of steps: by app, tool, (app, tool) pairs, success, or fault (any, or one by name)."""

    app: str | None = None
    tools: tuple[tuple[str, str], ...] | None = None
    tool: str | None = None
    ok: bool | None = None
    faulted: bool = False
    fault: str | None = None

    def condition(self) -> tuple[str, list[str]]:
        """Return the filter as SQL, with the values to bind."""
        parts: list[str] = []
        values: list[str] = []
        if self.app is not None:
            parts.append("app = ?")
            values.append(self.app)
        if self.tools is not None:
            parts.append(f"(app, tool) IN (VALUES {', '.join(['(?, ?)'] * len(self.tools))})" if self.tools else "0")
            values += [text for pair in self.tools for text in pair]
        if self.tool is not None:
            parts.append("tool = ?")
            values.append(self.tool)
        if self.ok is not None:
            parts.append("ok" if self.ok else "NOT ok")
        if self.faulted or self.fault is not None:
            parts.append("fault IS NOT NULL AND json_extract(fault, '$.landed')")
        if self.fault is not None:
            parts.append("json_extract(fault, '$.fault') = ?")
            values.append(self.fault)
        return " AND ".join(parts) or "1", values


def tools_with(effect: str, apps: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the (app, tool) pairs of these apps with this kind of effect."""
    own = (load_app(app) for app in apps if app in app_names())
    return tuple((app.name, tool.name) for app in own for tool in app.tools.values() if tool.effect == effect)


class _Stride:
    """The number of steps to read at once.

    The time for a step depends on the size of its data, which may be a hundred times as large in one session as in another.
    """

    def __init__(self) -> None:
        self.steps = _FIRST

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measure the time of reading one part and adapt the number for the next."""
        started = time.perf_counter()
        yield
        fits = self.steps * _AT_ONCE_S / max(time.perf_counter() - started, 1e-6)
        self.steps = max(1, min(int(fits), 2 * self.steps, _MOST))


async def totals(context: Context, *, after: int = 0) -> Totals:
    """Return the totals of the calls after step `after`. A long journal is read in parts, with other calls in between."""
    while True:
        calls = failed = faults = 0
        stride = _Stride()
        step, newest = after, journal.last_step(context)
        while step < newest:
            until = min(step + stride.steps, newest)
            with stride.measured():
                counted: Any = context.execute(
                    "SELECT count(app), coalesce(sum(app IS NOT NULL AND NOT ok), 0), "
                    "coalesce(sum(fault IS NOT NULL AND json_extract(fault, '$.landed')), 0) "
                    "FROM _journal WHERE step > ? AND step <= ?",
                    (step, until),
                ).fetchone()
            calls, failed, faults = calls + counted[0], failed + counted[1], faults + counted[2]
            step = until
            if step < newest:
                mark = _mark(context, step)
                await asyncio.sleep(0)
                if _mark(context, step) != mark:
                    break  # the session was rewound meanwhile
        else:
            last: Any = context.execute(
                "SELECT app, tool, at, client FROM _journal WHERE app IS NOT NULL ORDER BY step DESC LIMIT 1"
            ).fetchone() or (None, None, None, None)
            return Totals(newest, calls, failed, faults, *last)


class TotalsCache:
    """Incremental totals, so that a long journal is read once."""

    def __init__(self) -> None:
        self._totals_by_session: OrderedDict[str, tuple[object, Totals]] = OrderedDict()  # by the session's id

    async def of(self, session_id: str, context: Context) -> Totals:
        """Return the session's current totals."""
        mark, known = self._totals_by_session.pop(session_id, (None, None))
        if known is not None and known.step > 0 and mark == _mark(context, known.step):
            new = await totals(context, after=known.step)
            calls, failed, faults = known.calls + new.calls, known.failed + new.failed, known.faults + new.faults
            now = replace(new, calls=calls, failed=failed, faults=faults)
        else:
            now = await totals(context)
        self._totals_by_session[session_id] = (_mark(context, now.step), now)
        if len(self._totals_by_session) > _MAX_CACHED_TOTALS:
            self._totals_by_session.popitem(last=False)
        return now


def _mark(context: Context, step: int) -> object:
    """Return a value that differs between a step and one with the same number after a rewind."""
    return context.execute("SELECT at, tool, duration_us, before FROM _journal WHERE step = ?", (step,)).fetchone()


async def newest_steps(
    context: Context, wanted: StepFilter, *, limit: int, before: int | None = None, after: int = 0
) -> list[int]:
    """Return the numbers of the newest matching steps between `after` and `before`, newest first, with other calls in between."""
    condition, values = wanted.condition()
    newest = journal.last_step(context)
    upper = newest + 1 if before is None else min(before, newest + 1)
    numbers: list[int] = []
    stride = _Stride()
    while upper > after + 1 and len(numbers) < limit:
        lower = max(after, upper - 1 - stride.steps)
        with stride.measured():
            rows: Any = context.execute(
                f"SELECT step FROM _journal WHERE step > ? AND step < ? AND {condition} ORDER BY step DESC LIMIT ?",  # noqa: S608
                (lower, upper, *values, limit - len(numbers)),
            ).fetchall()
        numbers += [step for (step,) in rows]
        upper = lower + 1
        await asyncio.sleep(0)
    return numbers


def shown(context: Context, steps: Iterable[int]) -> list[Line]:
    """Return the lines of these steps, in the given order."""
    return [line for step in steps for line in lines(context, after=step - 1, limit=1)]


@dataclass(frozen=True, slots=True)
class Changed:
    """The rows of some apps that a step changed."""

    step: int
    tool: str
    changes: list[journal.Change]


def last_changed(context: Context, apps: Sequence[str], step: int) -> Changed | None:
    """Return the changes of the last step up to `step` that changed one of these apps, by a call or a fault.

    For state that apps share, such as the disk, changes by any app count.
    """
    conditions: list[str] = []
    values: list[str] = []
    for app in apps:
        if app in app_names():
            conditions.append("app = ? OR kind = 'drift' AND json_extract(arguments, '$.app') = ?")
            values += [app, app]
        else:
            # A receipt names the tables that it changes, so others need not be decoded. A text in it may match by chance.
            tables = [str(entity.table.name) for entity in context.tables[app].entities.values()]
            conditions += ["instr(changeset, CAST(? AS BLOB)) > 0"] * len(tables)
            values += tables
    where = " OR ".join(conditions)
    rows: Any = context.execute(
        f"SELECT step, tool, changeset FROM _journal WHERE step <= ? AND length(changeset) > 0 AND ({where}) "  # noqa: S608
        "ORDER BY step DESC",
        (step, *values),
    )
    for number, tool, changeset in rows:
        changes = [c for c in journal.changes(context, changeset) if c["app"] in apps]
        if changes or apps[0] in app_names():
            return Changed(number, tool, changes)
    return None
