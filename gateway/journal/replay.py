"""Playing a journal again in another session, to see that it gives the same replies and the same state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from contexts.engine.journal import Row
from gateway.dispatch import dispatch
from gateway.sessions.session import Session
from gateway.sessions.sessions import ClockChange, Sessions
from servers.catalogue import load_app


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A step whose reply came out differently."""

    step: int
    expected: Any
    got: Any


def replay(sessions: Sessions, rows: Iterable[Row], into: Session) -> list[Mismatch]:
    """Do the steps of a journal in a fresh session of the same world and seed, at the times they were done.

    Returns:
        The steps whose replies differ; empty when the journal is repeatable.
    """
    found: list[Mismatch] = []
    for row in rows:
        if row.app is None:
            _repeat_control(sessions, into, row)
            continue
        answer = dispatch(into, load_app(row.app), row.tool, row.arguments, at_ms=row.at_ms).answer
        if answer.wire() != row.reply:
            found.append(Mismatch(row.step, row.reply, answer.wire()))
    return found


def _repeat_control(sessions: Sessions, into: Session, row: Row) -> None:
    match row.tool:
        case "state":
            sessions.put_state(into, row.arguments["state"], row.arguments["mode"])
        case "clock":
            sessions.set_clock(into, ClockChange(**row.arguments))
        case unknown:
            raise ValueError(f"step {row.step}: no such control step: {unknown!r}")
