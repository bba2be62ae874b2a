"""The journal as people and graders read it: one line per step, with the receipt as rows; and differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypedDict

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import iso
from soundstage.contexts.engine.store import Context
from soundstage.gateway.faults.record import UNSTRUCK, read_record
from soundstage.gateway.journal.answered import Answered, Answerers


class Line(TypedDict):
    """One step.

    `kind` says what it is (see `soundstage.contexts.engine.journal.Kind`), `user` which person of the world acted (None where
    nobody of them did, as in the control plane's steps), `client` the program that called. `app` is None where it is no app's,
    and `tool` then says what was done. `answered_by` is what answers that tool (see `Answerers.of`). `ok` tells whether the app
    did what was asked, `is_error` is MCP's flag. `reply` is what the client got: an MCP result, or {"error": …}; None where
    nothing reached it. `fault` names the fault that landed, `lost` is what the app answered though the client never got it, in
    the form of `reply`.
    """

    step: int
    kind: journal.Kind
    at: str
    user: str | None
    client: str | None
    app: str | None
    tool: str
    answered_by: Answered | None
    arguments: Any
    ok: bool
    is_error: bool | None
    error_kind: str | None
    reply: Any
    fault: str | None
    lost: dict[str, Any] | None
    changes: list[journal.Change]
    duration_us: int


def lines(
    context: Context, *, after: int = 0, limit: int | None = None, kind: journal.Kind | None = None
) -> Iterator[Line]:
    """The steps after `after`, oldest first, all or those of a kind."""
    owner = context.accounts.user
    answerers = Answerers(context)
    for row in journal.read(context, after=after, limit=limit, kind=kind):
        by_people = row.kind in journal.MADE_BY_PEOPLE
        record = UNSTRUCK if row.fault is None else read_record(row.fault)
        yield Line(
            step=row.step,
            kind=row.kind,
            at=iso(row.at_ms),
            user=(row.caller.user or owner) if by_people else None,
            client=row.caller.client if by_people else None,
            app=row.app,
            tool=row.tool,
            answered_by=answerers.of(row, record),
            arguments=row.arguments,
            ok=row.ok,
            is_error=row.is_error,
            error_kind=row.error_kind,
            reply=row.reply,
            fault=record.fault if record.landed else None,
            lost=record.lost,
            changes=journal.changes(context, row.receipt.changeset),
            duration_us=row.duration_us,
        )


def actor(line: Line) -> Literal["app", "agent", "fault", "control"]:
    """Whose doing a step is: an app's (a call of it, or what it stopped), the agent's search for tools, a fault's change, or the
    control plane's.
    """
    if line["app"] is not None or line["kind"] == "limit":
        return "app"
    return "agent" if line["kind"] == "search" else "fault" if line["kind"] in journal.MADE_BY_FAULT else "control"


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
