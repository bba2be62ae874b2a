"""The journal for people and graders: one line for each step, with the receipt as rows; and differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypedDict

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import iso
from soundstage.contexts.engine.store import Context
from soundstage.gateway.faults.record import NO_FAULT, read_record
from soundstage.gateway.journal.answer_sources import Answered, AnswerSources


class Line(TypedDict):
    """One step.

    `kind` is its kind (see `soundstage.contexts.engine.journal.Kind`), `user` the person of the world who acted (None for
    others, as in the control plane's steps), `client` the program that called. `app` is None for steps of no app, and `tool`
    then names the action. `answered_by` is the source of the tool's answer (see `AnswerSources.of`). `ok` is whether the app did
    the requested action, `is_error` is MCP's flag. `reply` is the client's reply: an MCP result, or {"error": …}; None if
    nothing reached it. `fault` names the fault that took effect, `lost` is the app's answer that the client never received, in
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
    """Yield the steps after `after`, oldest first, all or those of one kind."""
    owner = context.accounts.user
    sources = AnswerSources(context)
    for row in journal.read(context, after=after, limit=limit, kind=kind):
        by_people = row.kind in journal.MADE_BY_PEOPLE
        record = NO_FAULT if row.fault is None else read_record(row.fault)
        yield Line(
            step=row.step,
            kind=row.kind,
            at=iso(row.at_ms),
            user=(row.caller.user or owner) if by_people else None,
            client=row.caller.client if by_people else None,
            app=row.app,
            tool=row.tool,
            answered_by=sources.of(row, record),
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
    """Return who made a step: an app (a call or an interrupted one), the agent's tool search, a fault, or the control plane."""
    if line["app"] is not None or line["kind"] == "limit":
        return "app"
    return "agent" if line["kind"] == "search" else "fault" if line["kind"] in journal.MADE_BY_FAULT else "control"


def difference(context: Context, *, start: int, end: int | None = None) -> list[journal.Change]:
    """Return the net row changes from the state after step `start` to the state after step `end` (None: now).

    Raises:
        ContextError: a step does not exist, or the end is before the start.
    """
    journal.check_step(context, start)
    newest = journal.last_step(context) if end is None else end
    journal.check_step(context, newest)
    if newest < start:
        return _reversed(journal.changes(context, journal.net_changeset(context, after=newest, until=start)))
    return journal.changes(context, journal.net_changeset(context, after=start, until=newest))


def _reversed(changes: list[journal.Change]) -> list[journal.Change]:
    """Reverse changes in time."""
    for change in changes:
        change["before"], change["after"] = change["after"], change["before"]
        change["op"] = {"insert": "delete", "delete": "insert", "update": "update"}[change["op"]]  # type: ignore[typeddict-item]
    return changes
