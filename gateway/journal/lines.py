"""The journal as people and graders read it: one line per step, with the receipt as rows; and differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypedDict

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import iso
from soundstage.contexts.engine.store import Context
from soundstage.gateway.faults.record import landed_fault


class Line(TypedDict):
    """One step.

    `kind` says what it is (see `soundstage.contexts.engine.journal.Kind`), `user` who acted (None: whom the session belongs
    to), `client` the program that called. `app` is None where it is no app's, and `tool` then says what was done. `ok` tells
    whether the app did what was asked, `is_error` is MCP's flag. `reply` is what the client got: an MCP result, or
    {"error": …}; None where nothing reached it. `fault` names the fault that landed.
    """

    step: int
    kind: journal.Kind
    at: str
    user: str | None
    client: str | None
    app: str | None
    tool: str
    arguments: Any
    ok: bool
    is_error: bool | None
    error_kind: str | None
    reply: Any
    fault: str | None
    changes: list[journal.Change]
    duration_us: int


def lines(context: Context, *, after: int = 0, limit: int | None = None) -> Iterator[Line]:
    """The steps after `after`, oldest first."""
    for row in journal.read(context, after=after, limit=limit):
        yield Line(
            step=row.step,
            kind=row.kind,
            at=iso(row.at_ms),
            user=row.caller.user,
            client=row.caller.client,
            app=row.app,
            tool=row.tool,
            arguments=row.arguments,
            ok=row.ok,
            is_error=row.is_error,
            error_kind=row.error_kind,
            reply=row.reply,
            fault=landed_fault(row.fault),
            changes=journal.changes(context, row.receipt.changeset),
            duration_us=row.duration_us,
        )


def difference(context: Context, *, start: int, end: int | None = None) -> list[journal.Change]:
    """The net row changes between the moments after step `start` and after step `end` (None: now).

    Raises:
        ContextError: for a step that never was, or an end before the start.
    """
    journal.check_step(context, start)
    newest = journal.last_step(context) if end is None else end
    journal.check_step(context, newest)
    if newest < start:
        return _reversed(journal.changes(context, journal.net_changeset(context, after=newest, until=start)))
    return journal.changes(context, journal.net_changeset(context, after=start, until=newest))


def _reversed(found: list[journal.Change]) -> list[journal.Change]:
    """The same changes walked backwards in time."""
    for change in found:
        change["before"], change["after"] = change["after"], change["before"]
        change["op"] = {"insert": "delete", "delete": "insert", "update": "update"}[change["op"]]  # type: ignore[typeddict-item]
    return found
