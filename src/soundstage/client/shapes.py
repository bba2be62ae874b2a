"""What the control API takes and answers, as types. The API's own document is the gateway's /openapi.json."""

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
    """A session's clock: its time (ISO 8601) and how it moves."""

    mode: ClockMode
    now: str
    tick_ms: int
    scale: float


class ClockChange(TypedDict, total=False):
    """What is to change in a clock. `at` is ISO 8601, such as 2026-11-20T07:45:00Z."""

    mode: ClockMode
    at: str
    tick_ms: int
    scale: float


class Server(TypedDict, total=False):
    """How a session's shared address introduces itself; what is left out does not tell that apps are simulated."""

    name: str
    version: str
    instructions: str | None


class SessionOptions(TypedDict, total=False):
    """What a new session is to be; the gateway decides about what is left out.

    `world` is where it starts, `apps` which apps it has (all), `user` the person of the world whose session it is, `server` how
    it introduces itself to agents. `seed` is of ids and randomness: two sessions of one world and seed answer alike. `durability`
    says whether it is kept in a file (`durable`) or in memory alone. `tools` lists all of them, or those for finding tools
    (`search`). `unavailable` says whether tools of synthesised apps that nothing answers are listed. `name` is another word for
    its id, and leads to it for whoever sits at this machine; it expires after `ttl` seconds.
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
    """A session with its addresses. `handle` is what an agent gets; `apps` has the address of each app alone,
    `versions` the version that each had when the session was made, `unanswered` the tools of synthesised apps that no kernel
    answers.
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
    """Sessions that were made at once."""

    sessions: list[SessionShown]


class SessionExamined(SessionShown):
    """A session with the hash of all its objects: equal for equal state, on any machine."""

    digest: str


class Change(TypedDict):
    """A row that was inserted, updated or deleted. Of an update, `before` and `after` hold the fields that changed."""

    app: str
    entity: str
    id: Any
    op: Literal["insert", "update", "delete"]
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class JournalLine(TypedDict):
    """One step of a session.

    `kind` says what it is, `user` who acted (None: whom the session belongs to), `client` the program that called. `app` is
    None where it is no app's, and `tool` then says what was done. `answered_by` is what answers that tool. `ok` says whether
    the app did what was asked, `is_error` is MCP's flag. `reply` is what the client got: an MCP result, or {"error": …}; None
    where nothing reached it. `fault` names the fault that landed, `lost` is what the app answered though the client never got
    it.
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
    """What a call answered: `reply` is an MCP result, or {"error": …}; None where the connection broke."""

    step: int
    ok: bool
    is_error: bool | None
    error_kind: str | None
    reply: dict[str, Any] | None
    duration_us: int


class Snapshot(TypedDict):
    """A copy of a session that it can be put back to."""

    id: str
    step: int
    created: str


class Faults(TypedDict):
    """The fault schedule in force (None: no faults), and what it remembers."""

    schedule: dict[str, Any] | None
    counters: dict[str, int]


class LedgerEntry(TypedDict):
    """One call that a fault was drawn for: whether it landed, in which step its outage began (its own, unless it went on),
    what the agent saw of it, whether it recovered (None where nothing can tell), and which retries made again what had been made.
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
