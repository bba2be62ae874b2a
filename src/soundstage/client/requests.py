"""Requests to the control API as data, shared by the sync and the async client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import orjson

from soundstage.client.problems import GatewayError
from soundstage.client.shapes import (
    Call,
    Change,
    Clock,
    ClockMode,
    Faults,
    JournalLine,
    LedgerEntry,
    LoadMode,
    Schedule,
    SessionBatch,
    SessionExamined,
    SessionOptions,
    SessionShown,
    Snapshot,
    State,
    StepKind,
)

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Request(Generic[T_co]):
    """One request. `read` converts the response body; members of `query` that are None are not sent."""

    method: str
    path: str
    read: Callable[[bytes], T_co]
    query: dict[str, str | int | None] | None = None
    body: object = None

    @property
    def content(self) -> bytes | None:
        """Return the body as it is sent."""
        return None if self.body is None else orjson.dumps(self.body)

    @property
    def parameters(self) -> dict[str, str | int]:
        """Return the query as it is sent."""
        return {name: value for name, value in (self.query or {}).items() if value is not None}


def create(options: SessionOptions) -> Request[SessionShown]:
    """Create a session."""
    return Request("POST", "/api/sessions", orjson.loads, body=_given(options))


def create_many(count: int, options: SessionOptions) -> Request[SessionBatch]:
    """Create several equal sessions at once."""
    return Request("POST", "/api/sessions/batch", orjson.loads, body={**_given(options), "n": count})


def examine(session: str) -> Request[SessionExamined]:
    """Read the session with its step, its clock and the hash of its state."""
    return Request("GET", _path(session), orjson.loads)


def journal(
    session: str, *, after: int = 0, limit: int | None = None, kind: StepKind | None = None
) -> Request[list[JournalLine]]:
    """Read the steps after `after`, oldest first, of one kind or all, each with the rows it changed."""
    return Request("GET", _path(session, "journal"), _lines, query={"after": after, "limit": limit, "kind": kind})


def diff(session: str, *, start: int = 0, end: int | None = None) -> Request[list[Change]]:
    """Read the net row changes between step `start` (0: the session's start) and step `end` (None: now)."""
    return Request("GET", _path(session, "diff"), orjson.loads, query={"from": start, "to": end})


def state(session: str, *, app: str | None = None, entity: str | None = None, at: int | None = None) -> Request[State]:
    """Read the session's objects, of one app or all, as of now or after step `at`."""
    return Request("GET", _path(session, "state"), orjson.loads, query={"app": app, "entity": entity, "at": at})


def put_state(session: str, state: State, *, mode: LoadMode = "replace") -> Request[int]:
    """Write objects and return the number of the step that wrote them.

    With `replace`, each named entity has only these objects afterwards; `add` inserts objects, or overwrites those with the
    same key.
    """
    return Request("PUT", _path(session, "state"), _step, query={"mode": mode}, body=state)


def reset(session: str) -> Request[SessionShown]:
    """Reset the session to its start."""
    return Request("POST", _path(session, "reset"), orjson.loads)


def snapshot(session: str) -> Request[Snapshot]:
    """Store a copy of the session's current state for `restore`."""
    return Request("POST", _path(session, "snapshots"), orjson.loads)


def restore(session: str, snapshot: str | None = None, *, step: int | None = None) -> Request[SessionShown]:
    """Restore a snapshot (by its id), or the state after a step; later steps are dropped."""
    return Request("POST", _path(session, "restore"), orjson.loads, body=_given({"snapshot": snapshot, "step": step}))


def faults(session: str, schedule: Schedule | None = None) -> Request[Faults]:
    """Read the active fault schedule; with `schedule`, activate that one first (`off` ends faults)."""
    path = _path(session, "faults")
    if schedule is None:
        return Request("GET", path, orjson.loads)
    return Request("PUT", path, orjson.loads, body=schedule)


def ledger(session: str) -> Request[list[LedgerEntry]]:
    """Read every fault: whether it was applied, what the agent saw, and whether the agent recovered."""
    return Request("GET", _path(session, "faults", "ledger"), orjson.loads)


def clock(
    session: str,
    *,
    mode: ClockMode | None = None,
    at: str | None = None,
    tick_ms: int | None = None,
    scale: float | None = None,
) -> Request[Clock]:
    """Read the session's clock, after changing the given members. `at` is ISO 8601, for example 2026-11-20T07:45:00Z."""
    change = _given({"mode": mode, "at": at, "tick_ms": tick_ms, "scale": scale})
    if change:
        return Request("POST", _path(session, "clock"), orjson.loads, body=change)
    return Request("GET", _path(session), _clock)


def call(session: str, app: str, tool: str, arguments: dict[str, Any] | None = None) -> Request[Call]:
    """Call a tool as the session's agent would, by app and the tool's own name."""
    return Request(
        "POST", _path(session, "calls"), orjson.loads, body={"app": app, "tool": tool, "arguments": arguments}
    )


def fork(session: str, *, at: int | None, name: str | None) -> Request[SessionShown]:
    """Fork a session at a step, or at its present state."""
    return Request("POST", _path(session, "fork"), orjson.loads, body=_given({"at": at, "name": name}))


def delete(session: str) -> Request[None]:
    """Delete the session permanently."""
    return Request("DELETE", _path(session), _nothing)


def _path(session: str, *below: str) -> str:
    return "/".join(("/api/sessions", quote(session, safe=""), *below))


def _given(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _lines(content: bytes) -> list[JournalLine]:
    lines = [orjson.loads(line) for line in content.splitlines()]
    if lines and "error" in lines[-1]:
        raise GatewayError(lines[-1]["error"])
    return lines


def _step(content: bytes) -> int:
    return int(orjson.loads(content)["step"])


def _clock(content: bytes) -> Clock:
    clock: Clock = orjson.loads(content)["clock"]
    return clock


def _nothing(content: bytes) -> None:
    return None
