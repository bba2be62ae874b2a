"""Replay a journal in another session, to verify that it produces the same replies and the same state."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.execution_limits import rows_with_stopped
from soundstage.contexts.engine.journal import MADE_BY_FAULT, Kind, Row
from soundstage.contexts.engine.model_questions import store_answer
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.faults.record import read_record
from soundstage.gateway.journal.versions import describe_changes, moved_on
from soundstage.gateway.log import log
from soundstage.gateway.sessions.clock_rules import ClockChange
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.servers.catalogue import load_app


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A step whose reply differs in the replay.

    `versions` are the app's versions in the original session and now, if they differ.
    """

    step: int
    expected: Any
    got: Any
    versions: tuple[str, str] | None = None


Repeat = Callable[[Sessions, Session, Row], Any]
"""Repeats a step and returns the client's reply."""


def replay(
    sessions: Sessions, rows: Iterable[Row], into: Session, *, made_with: Mapping[str, str] | None = None
) -> list[Mismatch]:
    """Repeat the steps of a journal in a new session of the same world and seed, at their original times.

    Recorded faults are injected again at their steps. In a session that has a schedule they are drawn again, with the same
    result if it is the original schedule.

    `made_with` are the app versions of the original session (`read_versions` of its context). A changed version is logged, and
    reported with each step that differs.

    Returns:
        The steps whose replies differ; empty if the journal is reproducible.
    """
    others = moved_on(made_with or {})
    if others:
        log.warning("replayed across versions", session=into.id, apps=describe_changes(others))
    mismatches: list[Mismatch] = []
    for row, stopped in rows_with_stopped(rows):
        if row.kind in MADE_BY_FAULT:
            continue  # the fault of the following call makes this step
        got = _call(into, row, stopped) if row.kind == "call" else _REPEATS[row.kind](sessions, into, row)
        if got != row.reply:
            mismatches.append(Mismatch(row.step, row.reply, got, others.get(str(row.app))))
    return mismatches


def _call(into: Session, row: Row, stopped: Collection[int]) -> Any:
    app = load_app(str(row.app))
    made = dispatch(
        into, app, row.tool, row.arguments, caller=row.caller, at_ms=row.at_ms, recorded=row.fault, stopped=stopped
    )
    return made.reply


def _as_recorded(sessions: Sessions, into: Session, row: Row) -> Any:
    """Repeat the recorded reply of a step that depends on more than the session: an upstream, or the catalogue and its model."""
    with into.context.step(row.kind, row.tool, row.arguments, app=row.app, caller=row.caller, at_ms=row.at_ms) as step:
        step.ok, step.is_error, step.error_kind = row.ok, row.is_error, row.error_kind
        step.reply, step.fault, step.duration_us = row.reply, row.fault, row.duration_us
        step.wait = None if row.fault is None else read_record(row.fault).wait
    return row.reply


def _model(sessions: Sessions, into: Session, row: Row) -> Any:
    """Store a model's recorded reply, where the following calls find it. The model is not asked again."""
    store_answer(into.context, str(row.app), row.tool, row.arguments, row.reply, caller=row.caller, at_ms=row.at_ms)
    return row.reply


def _state(sessions: Sessions, into: Session, row: Row) -> None:
    sessions.put_state(into, row.arguments["state"], row.arguments["mode"])


def _clock(sessions: Sessions, into: Session, row: Row) -> None:
    sessions.set_clock(into, ClockChange(**row.arguments))


def _faults(sessions: Sessions, into: Session, row: Row) -> None:
    sessions.set_faults(into, row.arguments["schedule"])


_REPEATS: Mapping[Kind, Repeat] = {
    "upstream": _as_recorded,
    "search": _as_recorded,
    "model": _model,
    "state": _state,
    "clock": _clock,
    "faults": _faults,
}
