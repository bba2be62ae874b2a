"""The models of the control API, from which its OpenAPI document is generated."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from soundstage.contexts.engine.clock import ClockMode, iso, parse_moment, to_ms
from soundstage.gateway.registry.records import Durability
from soundstage.gateway.sessions.clock_rules import ClockChange
from soundstage.gateway.sessions.problems import BadRequest
from soundstage.gateway.settings import ToolList, Unavailable

Moment = Annotated[str, Field(description="ISO 8601, such as 2026-11-20T07:45:00Z", examples=["2026-11-20T07:45:00Z"])]
Int64 = Annotated[int, Field(ge=-(2**63), lt=2**63)]


class Strict(BaseModel):
    """A request body; unknown members are rejected."""

    model_config = ConfigDict(extra="forbid")


class ClockBody(Strict):
    """A clock, or changes to one."""

    mode: ClockMode | None = Field(
        default=None, description="tick moves by `tick_ms` after each call; frozen; scaled; real"
    )
    at: Moment | None = None
    tick_ms: Annotated[int, Field(ge=0, lt=2**53)] | None = None
    scale: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)] | None = None

    def change(self) -> ClockChange:
        """Convert the body to a clock change.

        Raises:
            BadRequest: the time is invalid.
        """
        try:
            at_ms = None if self.at is None else to_ms(parse_moment(self.at))
        except (ValueError, OverflowError) as error:
            raise BadRequest(f"clock.at: {error}") from None
        return ClockChange(self.mode, at_ms, self.tick_ms, self.scale)


class ServerBody(Strict):
    """How a session's shared address introduces itself. The default is neutral and does not reveal that apps are simulated."""

    name: str = Field("apps", min_length=1, max_length=200)
    version: str = Field("1.0.0", min_length=1, max_length=100)
    instructions: str | None = Field(
        None, max_length=20_000, description="the server's instructions for a client's model"
    )


class SessionBody(Strict):
    """The parameters of a new session."""

    name: str | None = Field(None, description="replaces its handle in addresses for clients on this machine")
    world: str | None = Field(None, description="default: the gateway's world")
    user: str | None = Field(None, description="the person of the world who owns it; default: the world's own user")
    server: ServerBody | None = Field(None, description="name, version and instructions that its shared address sends")
    apps: list[str] | None = Field(
        None,
        min_length=1,
        description="left out: all in which the user has an account; all of them for the world's own",
    )
    seed: Int64 = 0
    clock: ClockBody | None = None
    durability: Durability = "durable"
    ttl: Annotated[float, Field(gt=0, le=10 * 365 * 86400, allow_inf_nan=False)] | None = Field(
        None, description="seconds until it expires"
    )
    faults: str | dict[str, Any] | None = Field(
        None, description="a fault schedule, or the name of a preset; `off` for none; left out: the gateway's own"
    )
    tools: ToolList = Field("all", description="`search` lists the search tools alone; the others stay callable")
    unavailable: Unavailable = Field(
        "hide",
        description="`list` also lists the tools of a synthesised app that have no kernel; a call of one returns the error "
        "that it is not available",
    )


MOST_AT_ONCE = 500
"""Maximum number of sessions per request: more would delay other requests too long."""


class BatchBody(SessionBody):
    """The parameters of identical sessions with separate addresses. A `name` is rejected if there are several."""

    n: int = Field(ge=1, le=MOST_AT_ONCE, description="how many")


class ClockShown(BaseModel):
    """A session's clock: its time now, and its mode."""

    mode: ClockMode
    now: Moment
    tick_ms: int
    scale: float


class SessionShown(BaseModel):
    """A session with its addresses. `handle` is the capability that an agent gets."""

    id: str
    handle: str
    name: str | None
    world: str
    user: str | None = Field(description="the person of the world who owns it; null in a world without people")
    seed: int
    tools: ToolList
    unavailable: Unavailable = "hide"
    durability: Durability
    mcp_url: str
    apps: dict[str, str] = Field(description="app → the address of that app alone")
    unanswered: dict[str, dict[str, Literal["engine", "none"]]] = Field(
        default={}, description="app → its tools without a kernel, and the source of their answers"
    )
    web_url: str | None = None
    created: Moment
    expires: Moment | None


class LastCall(BaseModel):
    """A session's last call; `client` is the program that made it, null if it did not send its name."""

    app: str
    tool: str
    client: str | None
    at: Moment = Field(description="on the session's clock")


class Activity(BaseModel):
    """The totals of a session's calls. If its context cannot be read, `problem` gives the reason, and the rest is null."""

    step: int | None
    calls: int | None
    failed: int | None
    faults: int | None
    last: LastCall | None
    problem: str | None


class SessionDetail(SessionShown):
    """A session with its current position."""

    step: int
    clock: ClockShown
    versions: dict[str, str] = Field(description="app → its version when the session was made")


class SessionBatch(BaseModel):
    """Sessions that were created together."""

    sessions: list[SessionDetail]


class SessionExamined(SessionDetail):
    """A session with the hash of its state, which requires reading every object."""

    digest: str = Field(description="a hash of all objects; equal for equal state, on any machine")


class SessionListed(SessionShown):
    """A session in a list, with its activity if requested."""

    damaged: str | None = Field(description="the known problem with its context, which is not read for this list")
    activity: Activity | None = None


class SessionPage(BaseModel):
    """Sessions, newest first."""

    sessions: list[SessionListed]
    total: int


class ForkBody(Strict):
    """The step to fork after; default: now."""

    at: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    name: str | None = None


class RestoreBody(Strict):
    """The state to restore: either a snapshot or a step."""

    snapshot: str | None = None
    step: Annotated[int, Field(ge=0, lt=2**31)] | None = None


class SeatBody(Strict):
    """The person who gets a seat: a person of the session's world, by key."""

    user: str


class SeatShown(BaseModel):
    """A further handle into a session, as another person. It opens the agent plane alone, and ends with the session."""

    user: str
    handle: str
    mcp_url: str
    apps: dict[str, str] = Field(description="app in which that person has an account → the address of that app alone")
    created: Moment


class SnapshotShown(BaseModel):
    """A snapshot of a session."""

    id: str
    step: int
    created: Moment


class StepShown(BaseModel):
    """The step that a change made."""

    step: int


class CallBody(Strict):
    """A call as an agent would make it."""

    app: str
    tool: str
    arguments: dict[str, Any] | None = None
    user: str | None = Field(None, description="the acting person of the world; default: the session's user")


class CallShown(BaseModel):
    """The result of a call: an MCP result, or {"error": …} (None: the connection broke); and the step in the journal."""

    step: int
    ok: bool = Field(
        description="whether the app did what was asked, as the journal has it: also where the answer was lost"
    )
    is_error: bool | None
    error_kind: str | None
    reply: dict[str, Any] | None
    duration_us: int


class ChangeShown(BaseModel):
    """A row that was inserted, updated or deleted; of an update, the fields that changed."""

    app: str
    entity: str
    id: Any
    op: Literal["insert", "update", "delete"]
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class AppShown(BaseModel):
    """An app of the catalogue."""

    name: str
    title: str
    category: str
    description: str
    tools: int
    unfinished: list[str] = Field(
        default=[], description="declared tools without a kernel, which no client can see or call"
    )
    unanswered: dict[str, Literal["engine", "none"]] = Field(
        default={},
        description="the tools of a synthesised app without a kernel, and the source of their answers; no list shows them, and a "
        "call of one returns the error that it is not available",
    )
    version: str | None = Field(
        default=None, description="a hash over the app's kernels, rules, dialect, faults, tools and tables"
    )
    general_faults: list[str] = Field(
        description="tool-level faults that are worded in general terms, not in the app's own"
    )
    status: Literal["starting", "up", "down"] | None = Field(default=None, description="of an upstream: how it is")
    reason: str | None = Field(default=None, description="of an upstream: why it is down")


class ToolShown(BaseModel):
    """A tool of an app."""

    name: str
    prefixed_name: str = Field(description="its name at an address that several apps share")
    description: str
    effect: str
    entity: str | None
    input_schema: dict[str, Any]
    answered_by: Literal["kernel", "engine", "none"] | None = Field(
        default=None, description="null for an upstream's tool, which its own server answers"
    )


class ToolFound(BaseModel):
    """A tool that matches a query. Scores are comparable within one response."""

    app: str
    name: str
    prefixed_name: str = Field(description="its name at an address that several apps share")
    description: str = Field(description="its first sentence")
    score: float
    input_schema: dict[str, Any]


class Problem(BaseModel):
    """An error: the problem and the valid form."""

    error: str


def moment(milliseconds: int) -> str:
    """Format milliseconds since 1970 as in the API."""
    return iso(milliseconds)
