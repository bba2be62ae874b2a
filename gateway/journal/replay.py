"""Playing a journal again in another session, to see that it gives the same replies and the same state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.journal import Row
from soundstage.gateway.dispatch import dispatch
from soundstage.gateway.faults.record import read_record
from soundstage.gateway.search.record import repeat
from soundstage.gateway.search.tools import SEARCH_TOOLS
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import ClockChange, Sessions
from soundstage.gateway.upstream.recording import repeat_call
from soundstage.servers.catalogue import app_names, load_app


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A step whose reply came out differently."""

    step: int
    expected: Any
    got: Any


def replay(sessions: Sessions, rows: Iterable[Row], into: Session) -> list[Mismatch]:
    """Do the steps of a journal in a fresh session of the same world and seed, at the times they were done.

    Faults land again on the steps where they landed. In a session that has a schedule they are drawn anew, which gives the
    same ones if it is the schedule that the journal's session had.

    Returns:
        The steps whose replies differ; empty when the journal is repeatable.
    """
    found: list[Mismatch] = []
    for row in rows:
        if row.fault is not None and read_record(row.fault).before:
            continue  # the fault of the call that follows makes this step
        if row.app is None and row.tool in SEARCH_TOOLS:
            repeat(into.context, row)
            continue
        if row.app is None:
            _repeat_control(sessions, into, row)
            continue
        if row.app not in app_names():
            repeat_call(into.context, row)
            continue
        made = dispatch(into, load_app(row.app), row.tool, row.arguments, at_ms=row.at_ms, recorded=row.fault)
        if made.reply != row.reply:
            found.append(Mismatch(row.step, row.reply, made.reply))
    return found


def _repeat_control(sessions: Sessions, into: Session, row: Row) -> None:
    match row.tool:
        case "state":
            sessions.put_state(into, row.arguments["state"], row.arguments["mode"])
        case "clock":
            sessions.set_clock(into, ClockChange(**row.arguments))
        case "faults":
            sessions.set_faults(into, row.arguments["schedule"])
        case unknown:
            raise ValueError(f"step {row.step}: no such control step: {unknown!r}")
