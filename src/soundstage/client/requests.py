"""Requests to the control API as data: each is said here once, and sent by the sync and the async interface alike."""

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
    """One request. `read` makes what it is answered with of the answer's body; a member of `query` that is None is not sent."""

    method: str
    path: str
    read: Callable[[bytes], T_co]
    query: dict[str, str | int | None] | None = None
    body: object = None

    @property
    def content(self) -> bytes | None:
        """The body as it is sent."""
        return None if self.body is None else orjson.dumps(self.body)

    @property
    def parameters(self) -> dict[str, str | int]:
        """The query as it is sent."""
        return {name: value for name, value in (self.query or {}).items() if value is not None}


def create(options: SessionOptions) -> Request[SessionShown]:
    return Request("POST", "/api/sessions", orjson.loads, body=_given(options))


def create_many(count: int, options: SessionOptions) -> Request[SessionBatch]:
    return Request("POST", "/api/sessions/batch", orjson.loads, body={**_given(options), "n": count})


def examine(session: str) -> Request[SessionExamined]:
    """The session as it is now, with its step, its clock and the hash of its state."""
    return Request("GET", _path(session), orjson.loads)


def journal(
    session: str, *, after: int = 0, limit: int | None = None, kind: StepKind | None = None
) -> Request[list[JournalLine]]:
    """The steps after `after`, oldest first, all or those of a kind, each with the rows it changed."""
    return Request("GET", _path(session, "journal"), _lines, query={"after": after, "limit": limit, "kind": kind})


def diff(session: str, *, start: int = 0, end: int | None = None) -> Request[list[Change]]:
    """The net row changes between the moments after step `start` (0: the session's start) and after step `end` (None: now)."""
    return Request("GET", _path(session, "diff"), orjson.loads, query={"from": start, "to": end})


def state(session: str, *, app: str | None = None, entity: str | None = None, at: int | None = None) -> Request[State]:
    """The session's objects, of all apps or one, now or as they were after step `at`."""
    return Request("GET", _path(session, "state"), orjson.loads, query={"app": app, "entity": entity, "at": at})


def put_state(session: str, state: State, *, mode: LoadMode = "replace") -> Request[int]:
    """Put objects in, and say the step that did so.

    With `replace` each named entity then holds just these; `add` inserts, or overwrites by key.
    """
    return Request("PUT", _path(session, "state"), _step, query={"mode": mode}, body=state)


def reset(session: str) -> Request[SessionShown]:
    """Put the session back to its start."""
    return Request("POST", _path(session, "reset"), orjson.loads)


def snapshot(session: str) -> Request[Snapshot]:
    """Keep a copy of the session as it is now, for `restore`."""
    return Request("POST", _path(session, "snapshots"), orjson.loads)


def restore(session: str, snapshot: str | None = None, *, step: int | None = None) -> Request[SessionShown]:
    """Put the session back to a snapshot (by its id), or to the moment after a step, which drops the later ones."""
    return Request("POST", _path(session, "restore"), orjson.loads, body=_given({"snapshot": snapshot, "step": step}))


def faults(session: str, schedule: Schedule | None = None) -> Request[Faults]:
    """The fault schedule in force; with `schedule`, put that in force first (`off` ends faults)."""
    path = _path(session, "faults")
    if schedule is None:
        return Request("GET", path, orjson.loads)
    return Request("PUT", path, orjson.loads, body=schedule)


def ledger(session: str) -> Request[list[LedgerEntry]]:
    """Every fault: what was drawn, what landed, what the agent saw, whether it coped."""
    return Request("GET", _path(session, "faults", "ledger"), orjson.loads)


def clock(
    session: str,
    *,
    mode: ClockMode | None = None,
    at: str | None = None,
    tick_ms: int | None = None,
    scale: float | None = None,
) -> Request[Clock]:
    """The session's clock, after changing what is given. `at` is ISO 8601, such as 2026-11-20T07:45:00Z."""
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
    return Request("POST", _path(session, "fork"), orjson.loads, body=_given({"at": at, "name": name}))


def delete(session: str) -> Request[None]:
    """End the session for good."""
    return Request("DELETE", _path(session), _nothing)


def _path(session: str, *below: str) -> str:
    return "/".join(("/api/sessions", quote(session, safe=""), *below))


def _given(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _lines(content: bytes) -> list[JournalLine]:
    found = [orjson.loads(line) for line in content.splitlines()]
    if found and "error" in found[-1]:
        raise GatewayError(found[-1]["error"])
    return found


def _step(content: bytes) -> int:
    return int(orjson.loads(content)["step"])


def _clock(content: bytes) -> Clock:
    found: Clock = orjson.loads(content)["clock"]
    return found


def _nothing(content: bytes) -> None:
    return None
