"""The request and response models of runs, tasks and trials over HTTP, for runners and for the control plane."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from soundstage.gateway.control.models import Int64, Moment, Strict
from soundstage.gateway.registry.records import Durability
from soundstage.grading.checks import Outcome
from soundstage.grading.task import Kind, Split
from soundstage.runs.sealed import Ended

MOST_LEASED = 64
LONGEST_WAIT_S = 30.0
_MOST_TEXT = 1_000_000

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1, max_length=80)]
Tools = Literal["task", "all", "search", "needed"]
RunState = Literal["open", "stopped", "done"]
State = Literal["queued", "opening", "open", "closing", "done"]


# -- for runners ----------------------------------------------------------------------------------------------------


class LeaseBody(Strict):
    """The number of trials that a runner can take, and the seconds to wait if none is available."""

    n: Annotated[int, Field(ge=1, le=MOST_LEASED)] = 1
    wait_s: Annotated[float, Field(ge=0, le=LONGEST_WAIT_S, allow_inf_nan=False)] = 0


class Mcp(BaseModel):
    """The address of the agent's tools; `headers` are required with every request."""

    url: str
    headers: dict[str, str]


class LimitsShown(BaseModel):
    """The limits of a trial: tool calls, and minutes of wall time."""

    calls: int
    minutes: float


class LeasedTrial(BaseModel):
    """A trial leased to the runner; `task` is an opaque name unless the run is open."""

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
    lease_s: float = Field(description="seconds from the last heartbeat or call until the lease expires")


class Leased(BaseModel):
    """The leased trials; empty if all remaining trials are leased to other runners."""

    trials: list[LeasedTrial]


class HeartbeatBody(Strict):
    """The attempt that is being worked on; the newest if omitted."""

    attempt: Annotated[int, Field(ge=1, lt=2**31)] | None = None


class Heartbeat(BaseModel):
    """The state of a lease; `cancel` means that the attempt no longer counts."""

    cancel: bool


class UsageBody(Strict):
    """The agent's resource usage, as measured by the runner."""

    input_tokens: Annotated[int, Field(ge=0, lt=2**53)] | None = None
    output_tokens: Annotated[int, Field(ge=0, lt=2**53)] | None = None
    cost_usd: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] | None = None
    turns: Annotated[int, Field(ge=0, lt=2**31)] | None = Field(None, description="how often its model was asked")


class SubmitBody(Strict):
    """The end of an attempt; `error` reports a failure outside the agent, after which the trial is repeated."""

    attempt: Annotated[int, Field(ge=1, lt=2**31)]
    outcome: Outcome = "done"
    answer: Annotated[str, Field(max_length=_MOST_TEXT)] = ""
    usage: UsageBody | None = None
    trajectory: list[Any] | dict[str, Any] | None = Field(
        default=None, description="any data that the runner wants to store with it"
    )
    error: Annotated[str, Field(min_length=1, max_length=10_000)] | None = None


class Submitted(BaseModel):
    """The submission was accepted; its score is not revealed here."""

    trial: str
    attempt: int


# -- for the control plane --------------------------------------------------------------------------------------------


class AgentBody(Strict):
    """The agent of a run."""

    name: Name = "agent"
    version: Name | None = None
    model: Name | None = None


class LimitsBody(Strict):
    """Limits that override those of the tasks."""

    calls: Annotated[int, Field(ge=1, le=100_000)] | None = None
    minutes: Annotated[Positive, Field(le=24 * 60)] | None = None


class RunBody(Strict):
    """A run: every task `k` times for each of `faults` and each of `variants`."""

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
        description="tools that the address lists: as the task declares; all; the search tools; only the apps that the oracle "
        "needs; or a number of tools",
    )
    limits: LimitsBody | None = None
    agent: AgentBody = AgentBody()
    durability: Durability = "durable"
    answer_tool: bool = Field(
        False, description="list a tool submit_answer and a prompt `task`, for agents without a runner"
    )
    open: bool = Field(False, description="show runners the tasks' names")
    tasks_dir: str | None = Field(
        None, description="a folder of tasks on the gateway's machine; default: the shipped tasks"
    )
    token_ttl: Annotated[Positive, Field(le=10 * 365 * 86400)] = Field(
        7 * 86400.0, description="seconds for which the run token opens the run"
    )
    keep_sessions: Annotated[float, Field(ge=0, le=10 * 365 * 86400, allow_inf_nan=False)] = Field(
        7 * 86400.0, description="seconds for which a finished trial's session can be looked into; 0 for not at all"
    )


class TokenBody(Strict):
    """An additional run token."""

    ttl: Annotated[Positive, Field(le=10 * 365 * 86400)] = 7 * 86400.0


class TokenShown(BaseModel):
    """A run token, shown once, with its address."""

    run_token: str
    run_url: str
    expires: Moment


class RunMade(BaseModel):
    """A new run with its token, which is shown only once."""

    id: str
    run_token: str
    run_url: str
    trials: int


class Progress(BaseModel):
    """The number of trials by state, and of finished trials by ending."""

    trials: int
    queued: int
    open: int
    done: int
    ended: dict[Ended, int]


class RunShown(BaseModel):
    """A run. `complete` is false while trials are missing, and permanently if more than 2 % of them ended as `infra`."""

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
    """A page of runs, the newest first."""

    runs: list[RunShown]
    total: int


class TrialShown(BaseModel):
    """A trial as shown by the control plane."""

    id: str
    run: str
    task: str
    k: int
    seed: int
    faults: str
    variant: str
    state: State
    attempt: int
    infra: int = Field(description="attempts lost for reasons outside the agent")
    ended: Ended | None
    session: str | None
    web_url: str | None
    started: Moment | None
    finished: Moment | None
    success: bool | None
    score: float | None
    error: str | None


class TrialDetail(TrialShown):
    """A trial with its submission and verdict."""

    outcome: Outcome | None
    answer: str | None
    result: dict[str, Any] | None = Field(description="its line of results.jsonl")
    verdict: dict[str, Any] | None


class CheckShown(BaseModel):
    """A check of a task: its title, and its share of the score."""

    id: str
    title: str
    weight: float


class TaskShown(BaseModel):
    """A task. `fresh`: its lock matches the present task and world, so that it can be part of a run."""

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
    """The lint's report on a task; without findings it is green.

    `by_lock`: nothing was run, because the task's oracle is withheld; its fresh lock is the evidence.
    """

    task: str
    green: bool
    by_lock: bool
    findings: list[str]
    results: list[LintResult]
