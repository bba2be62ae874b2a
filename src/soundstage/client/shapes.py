"""The request and response types of the control API. The gateway's /openapi.json describes the API itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

ClockMode = Literal["tick", "frozen", "scaled", "real"]
Durability = Literal["durable", "memory"]
ToolList = Literal["all", "search"]
Unavailable = Literal["hide", "list"]
LoadMode = Literal["replace", "add"]
StepKind = Literal[
    "call", "upstream", "search", "model", "limit", "state", "clock", "faults", "drift", "duplicate", "wish", "event"
]

State: TypeAlias = dict[str, dict[str, list[dict[str, Any]]]]
"""Objects by app and entity, with the real API's field names: {app: {entity: [objects]}}."""

Schedule: TypeAlias = str | Mapping[str, Any]
"""A fault schedule {rules, budget, turns}, or the name of a preset; `off` for none."""


class Clock(TypedDict):
    """A session's clock: its time (ISO 8601) and how it advances."""

    mode: ClockMode
    now: str
    tick_ms: int
    scale: float


class ClockChange(TypedDict, total=False):
    """The members of a clock to change. `at` is ISO 8601, for example 2026-11-20T07:45:00Z."""

    mode: ClockMode
    at: str
    tick_ms: int
    scale: float


class Server(TypedDict, total=False):
    """How a session's shared address introduces itself. The default does not reveal that apps are simulated."""

    name: str
    version: str
    instructions: str | None


class SessionOptions(TypedDict, total=False):
    """The options of a new session; the gateway chooses those that are left out.

    `world` is the starting state, `apps` the apps (default: all), `user` the person of the world who owns the session, and
    `server` how the session introduces itself to agents. `seed` determines ids and randomness: two sessions of one world and
    seed give the same replies. `durability` stores the session in a file (`durable`) or in memory. `tools` lists all tools, or
    only those that find tools (`search`). `unavailable` sets whether unanswered tools of synthesised apps are listed. `name` is
    an alternative to the id and works as a handle on this machine only. The session expires after `ttl` seconds.
    """

    world: str | None
    apps: Sequence[str] | None
    seed: int | None
    faults: Schedule | None
    user: str | None
    server: Server | None
    name: str | None
    clock: ClockChange | None
    durability: Durability | None
    tools: ToolList | None
    unavailable: Unavailable | None
    ttl: float | None


class SessionShown(TypedDict):
    """A session with its addresses. `handle` is for the agent; `apps` has the address of each app.

    `versions` has the version of each app when the session was created, `unanswered` the tools of synthesised apps without a
    kernel.
    """

    id: str
    handle: str
    name: str | None
    world: str
    user: str | None
    versions: dict[str, str]
    unanswered: dict[str, dict[str, str]]
    seed: int
    tools: ToolList
    unavailable: Unavailable
    durability: Durability
    mcp_url: str
    apps: dict[str, str]
    web_url: str | None
    created: str
    expires: str | None
    step: int
    clock: Clock


class SessionBatch(TypedDict):
    """Sessions that were created in one request."""

    sessions: list[SessionShown]


class SessionExamined(SessionShown):
    """A session with the hash of all its objects: equal for equal state, on any machine."""

    digest: str


class Change(TypedDict):
    """A row that was inserted, updated or deleted. For an update, `before` and `after` have the changed fields."""

    app: str
    entity: str
    id: Any
    op: Literal["insert", "update", "delete"]
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class JournalLine(TypedDict):
    """One step of a session.

    `kind` is the kind of step, `user` the person who acted (None: the session's user), `client` the calling program. `app` is
    None if the step belongs to no app; `tool` is then the action. `answered_by` is what answers the tool. `ok` is whether the
    app did what was asked, `is_error` is MCP's flag. `reply` is what the client received: an MCP result, or {"error": …}; None
    if nothing arrived. `fault` names the applied fault, and `lost` is the app's answer that never reached the client.
    """

    step: int
    kind: StepKind
    at: str
    user: str | None
    client: str | None
    app: str | None
    tool: str
    answered_by: Literal["kernel", "engine", "none", "upstream", "model", "gateway"] | None
    arguments: Any
    ok: bool
    is_error: bool | None
    error_kind: str | None
    reply: Any
    fault: str | None
    lost: dict[str, Any] | None
    changes: list[Change]
    duration_us: int


class Call(TypedDict):
    """The result of a call: `reply` is an MCP result, or {"error": …}; None if the connection broke."""

    step: int
    ok: bool
    is_error: bool | None
    error_kind: str | None
    reply: dict[str, Any] | None
    duration_us: int


class Snapshot(TypedDict):
    """A copy of a session that it can be restored to."""

    id: str
    step: int
    created: str


class Faults(TypedDict):
    """The active fault schedule (None: no faults) and its counters."""

    schedule: dict[str, Any] | None
    counters: dict[str, int]


class LedgerEntry(TypedDict):
    """One call that was selected for a fault.

    The entry has whether the fault was applied, the step in which its outage began (this one, unless it continued), what the
    agent saw, whether it recovered (None if unknown), and which retries repeated an effect.
    """

    step: int
    at: str
    rule: str | None
    fault: str | None
    drawn: list[str]
    app: str
    tool: str
    arguments: Any
    landed: bool
    outage: int | None
    detail: dict[str, Any] | None
    saw: Any
    recovered: bool | None
    recovered_at: int | None
    recovered_by: str | None
    calls_to_recover: int | None
    seconds_to_recover: float | None
    flexible: bool
    writes: bool
    effects: int
    doubled: bool
    again: list[int]
