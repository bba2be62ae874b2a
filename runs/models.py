"""The shapes of runs, tasks and trials over HTTP, for those who drive runs and for those who judge them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from soundstage.gateway.control.models import Int64, Moment, Strict
from soundstage.gateway.registry.records import Durability
from soundstage.grading.task import Kind, Outcome, Split
from soundstage.runs.sealed import Ended

MOST_LEASED = 64
LONGEST_WAIT_S = 30.0
_MOST_TEXT = 1_000_000

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1, max_length=80)]
Tools = Literal["task", "all", "search", "needed"]
RunState = Literal["open", "stopped", "done"]
State = Literal["queued", "opening", "open", "closing", "done"]


# -- for whoever drives a run ---------------------------------------------------------------------------------------


class LeaseBody(Strict):
    """How many trials a runner can take, and for how long it waits where none is free at the moment."""

    n: Annotated[int, Field(ge=1, le=MOST_LEASED)] = 1
    wait_s: Annotated[float, Field(ge=0, le=LONGEST_WAIT_S, allow_inf_nan=False)] = 0


class Mcp(BaseModel):
    """Where the agent finds its tools; `headers` go with every request."""

    url: str
    headers: dict[str, str]


class LimitsShown(BaseModel):
    """What a trial may take: tool calls, and minutes of wall time."""

    calls: int
    minutes: float


class LeasedTrial(BaseModel):
    """A trial that is now the runner's. `task` is a name that says nothing, unless the run is an open one."""

    trial: str
    attempt: int
    task: str
    instruction: str
    user: str = Field(description="the person whose accounts the agent has")
    now: str = Field(description="on the session's clock, with the offset of its world's zone")
    mcp: Mcp
    apps: list[str]
    limits: LimitsShown
    expires_at: Moment = Field(description="when the address closes, by the wall clock")
    lease_s: float = Field(description="the lease lasts so long from the last heartbeat or call")


class Leased(BaseModel):
    """Trials to be worked on now; none where all that are left are in other runners' hands."""

    trials: list[LeasedTrial]


class HeartbeatBody(Strict):
    """Which attempt is being worked on; the newest where it is left out."""

    attempt: Annotated[int, Field(ge=1, lt=2**31)] | None = None


class Heartbeat(BaseModel):
    """`cancel`: nothing that comes of this attempt counts any more."""

    cancel: bool


class UsageBody(Strict):
    """What the agent used, as the runner knows it."""

    input_tokens: Annotated[int, Field(ge=0, lt=2**53)] | None = None
    output_tokens: Annotated[int, Field(ge=0, lt=2**53)] | None = None
    cost_usd: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] | None = None
    turns: Annotated[int, Field(ge=0, lt=2**31)] | None = Field(None, description="how often its model was asked")


class SubmitBody(Strict):
    """How an attempt ended. `error` is for what was not the agent's doing: the trial is then tried anew."""

    attempt: Annotated[int, Field(ge=1, lt=2**31)]
    outcome: Outcome = "done"
    answer: Annotated[str, Field(max_length=_MOST_TEXT)] = ""
    usage: UsageBody | None = None
    trajectory: list[Any] | dict[str, Any] | None = Field(
        default=None, description="whatever the runner wants kept beside it"
    )
    error: Annotated[str, Field(min_length=1, max_length=10_000)] | None = None


class Submitted(BaseModel):
    """It was taken; what it is worth is not told here."""

    trial: str
    attempt: int


# -- for whoever judges ---------------------------------------------------------------------------------------------


class AgentBody(Strict):
    """Whose run it is."""

    name: Name = "agent"
    version: Name | None = None
    model: Name | None = None


class LimitsBody(Strict):
    """Other limits than the tasks' own."""

    calls: Annotated[int, Field(ge=1, le=100_000)] | None = None
    minutes: Annotated[Positive, Field(le=24 * 60)] | None = None


class RunBody(Strict):
    """A run: every task `k` times under each of `faults`, in each of `variants`."""

    tasks: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200)]], Field(min_length=1, max_length=1000)
    ] = Field(
        description="tasks, or worlds for all tasks of theirs; `public` or `test` for a split; `all` for every one"
    )
    k: Annotated[int, Field(ge=1, le=100)] = 1
    seed: Int64 = 0
    faults: Annotated[list[Name], Field(min_length=1, max_length=10)] = Field(
        default=["off"], description="presets, and `off`; a trial is made under each, with one seed"
    )
    variants: Annotated[list[Name], Field(min_length=1, max_length=20)] = Field(
        default=["default"], description="wordings of the instruction: `default`, or names of a task's variants"
    )
    tools: Tools | Annotated[int, Field(ge=1, le=10_000)] = Field(
        default="task",
        description="what the address lists: as the task says; all; the search tools; those of the apps that its oracle "
        "needs; or so many tools",
    )
    limits: LimitsBody | None = None
    agent: AgentBody = AgentBody()
    durability: Durability = "durable"
    answer_tool: bool = Field(
        False, description="list a tool submit_answer and a prompt `task`, for agents without a runner"
    )
    open: bool = Field(False, description="tell runners the tasks' names")
    tasks_dir: str | None = Field(
        None, description="a folder of tasks on the gateway's machine; those shipped when left out"
    )
    token_ttl: Annotated[Positive, Field(le=10 * 365 * 86400)] = Field(
        7 * 86400.0, description="seconds for which the run token opens the run"
    )
    keep_sessions: Annotated[float, Field(ge=0, le=10 * 365 * 86400, allow_inf_nan=False)] = Field(
        7 * 86400.0, description="seconds for which a finished trial's session can be looked into; 0 for not at all"
    )


class TokenBody(Strict):
    """A further run token."""

    ttl: Annotated[Positive, Field(le=10 * 365 * 86400)] = 7 * 86400.0


class TokenShown(BaseModel):
    """A run token, shown once, and where it is used."""

    run_token: str
    run_url: str
    expires: Moment


class RunMade(BaseModel):
    """A new run with its token, which is shown this once."""

    id: str
    run_token: str
    run_url: str
    trials: int


class Progress(BaseModel):
    """How many trials are where, and how those that are done have ended."""

    trials: int
    queued: int
    open: int
    done: int
    ended: dict[Ended, int]


class RunShown(BaseModel):
    """A run. `complete` is false while trials are missing, and for good where more than 2 % of them ended as `infra`."""

    id: str
    created: Moment
    state: RunState
    complete: bool
    agent: AgentBody
    tasks: list[str]
    k: int
    seed: int
    faults: list[str]
    variants: list[str]
    tools: str
    progress: Progress
    success: float | None = Field(
        description="share of finished trials that succeeded, infra ones included; null before any"
    )
    score: float | None = Field(description="mean of their scores")


class RunPage(BaseModel):
    """Runs, the newest first."""

    runs: list[RunShown]
    total: int


class TrialShown(BaseModel):
    """A trial as the control plane sees it."""

    id: str
    run: str
    task: str
    k: int
    seed: int
    faults: str
    variant: str
    state: State
    attempt: int
    infra: int = Field(description="attempts that came to nothing through nobody's fault")
    ended: Ended | None
    session: str | None
    web_url: str | None
    started: Moment | None
    finished: Moment | None
    success: bool | None
    score: float | None
    error: str | None


class TrialDetail(TrialShown):
    """A trial with what was handed in and its verdict."""

    outcome: Outcome | None
    answer: str | None
    result: dict[str, Any] | None = Field(description="its line of results.jsonl")
    verdict: dict[str, Any] | None


class CheckShown(BaseModel):
    """A check of a task: what people read of it, and its share of the score."""

    id: str
    title: str
    weight: float


class TaskShown(BaseModel):
    """A task. `fresh`: its lock is of this very task and of the world as it is, so it can enter a run."""

    task: str
    version: int
    title: str
    kind: Kind
    language: str
    world: str
    apps: list[str]
    tags: list[str]
    split: Split
    checks: int
    oracle_calls: int
    fresh: bool


class TaskDetail(TaskShown):
    """A task with its instruction, checks and lock."""

    instruction: str
    variants: dict[str, str]
    limits: LimitsShown
    all_checks: list[CheckShown]
    lock: dict[str, Any] | None


class LintResult(BaseModel):
    """One run of the lint; see docs/tasks.md."""

    operator: str
    mutant: str
    expected: str
    score: float
    success: bool
    failed: list[str]
    right: bool
    problem: str | None


class LintShown(BaseModel):
    """What the lint found out about a task; without findings it is green. `by_lock`: nothing was run, since the task's oracle is
    kept back, and its fresh lock stands for it.
    """

    task: str
    green: bool
    by_lock: bool
    findings: list[str]
    results: list[LintResult]
