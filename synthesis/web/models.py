"""The shapes in which pools and syntheses are told over the API."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class Rate(BaseModel):
    """A share with its 95 % interval (Wilson); null where there is nothing to count."""

    count: int
    of: int
    rate: float | None
    low: float | None
    high: float | None


class Agreed(BaseModel):
    """Whole held-out episodes, and how many of them agree to their end."""

    agree: int
    of: int


class Server(BaseModel):
    """A server as it names itself."""

    name: str
    version: str


# -- at a glance --------------------------------------------------------------------------------------------------------


class PoolListed(BaseModel):
    """A pool. Where it cannot be read `problem` says why, and the rest is null; goals are null before a run is over."""

    name: str
    problem: str | None = None
    server: str | None = None
    id: str | None = Field(
        None, description="of what the server lists: a synthesis says by it which pool it was made from"
    )
    tools: int | None = None
    calls: int | None = None
    covered: int | None = None
    applicable: int | None = None


class AppListed(BaseModel):
    """A synthesised app. Where its lock cannot be read `problem` says why, and the rest is null."""

    name: str
    problem: str | None = None
    server: str | None = None
    pool: str | None = Field(None, description="the id of the pool that it was made from")
    generator: str | None = None
    tools: int | None = None
    kernels: int | None = None
    outcome: Rate | None = None
    episodes: Agreed | None = None
    served: bool | None = Field(
        None, description="whether anything of it is accepted; a gateway has it from its next start on"
    )
    looks: int | None = None


class Begun(BaseModel):
    """An app that is being made, or whose making came to no end: so many answers are kept."""

    name: str
    answers: int


class Overview(BaseModel):
    """All that a data folder has."""

    pools: list[PoolListed]
    apps: list[AppListed]
    begun: list[Begun]


# -- a pool -------------------------------------------------------------------------------------------------------------


class Edge(BaseModel):
    """A place in the replies of one tool whose values another one asks for; `proof`: a changed value was refused."""

    producer: str
    gives: str
    consumer: str
    takes: str
    calls: int
    proof: bool


class Example(BaseModel):
    """A recorded call, shortened."""

    id: str
    outcome: str
    arguments: str
    reply: str


class ToolRecorded(BaseModel):
    """What was recorded of a tool. `unseen` is the share of its behaviour that is likely still unseen, `missing` goals that were
    not reached with the reason, `refusals` the wordings in which it refuses; `more_…` says how many more there are.
    """

    calls: int
    outcomes: dict[str, int]
    covered: int
    applicable: int
    kinds: int
    unseen: float
    missing: dict[str, str]
    more_missing: int
    refusals: list[str]
    more_refusals: int
    examples: list[Example]


class Goals(BaseModel):
    covered: int
    applicable: int
    share: float | None


class PoolShown(BaseModel):
    """A pool. `refused_by_plan` are tools that were not called, with the reason; `volatile` is what varies by itself, by tool."""

    name: str
    app: str
    server: Server
    id: str
    calls: int
    episodes: int
    repeated: int
    called: int
    succeed: int
    flaky: int
    unclear: int
    goals: Goals
    per_tool: dict[str, ToolRecorded]
    refused_by_plan: dict[str, str]
    edges: list[Edge]
    more_edges: int
    volatile: dict[str, list[str]]


# -- a synthesis --------------------------------------------------------------------------------------------------------


class Score(BaseModel):
    """How a kernel did on calls; `broken` are those that raised, or changed what they must not."""

    cases: int
    outcome: Rate
    false_positives: Rate
    exact: Rate
    key_paths: Rate
    state: Rate
    broken: int


class Bar(BaseModel):
    """A figure in percent, with its interval and what was asked of it."""

    shown: str
    count: int
    of: int
    rate: float | None
    low: float | None
    high: float | None
    asked: float
    at_most: bool
    missed: bool


class DiffLine(BaseModel):
    """A line of a difference: `gone` is what the real server said, `new` what the kernel did."""

    kind: Literal["gone", "new", "at", "plain"]
    text: str


class Mismatch(BaseModel):
    """A call that was answered otherwise than by the real server."""

    head: str
    lines: list[DiffLine]


class ToolMeasured(BaseModel):
    """A tool: what answers it and why, in how many rounds it was written, and how the chosen one did."""

    answered_by: Literal["kernel", "engine", "none"]
    accepted_by: str | None
    why: list[str]
    thin: bool
    rounds: int
    chosen_round: int | None
    tokens_in: int
    tokens_out: int
    seconds: float
    train: Score | None = None
    dev: Score | None = None
    held_out: Score
    bars: list[Bar]
    worst: list[Mismatch]


class FileShown(BaseModel):
    file: str
    origin: str
    accepted: str


class Layer(BaseModel):
    """What kept candidates apart while they were measured; not `had`: not to be had on the machine that measured."""

    name: str
    what: str
    had: bool


class SynthesisShown(BaseModel):
    """A synthesised app, measured on held-out calls, which were looked at so many times (`looks`). Without `enough` episodes that
    agree to their end nothing is served until somebody accepts it.
    """

    name: str
    server: Server
    pool: str
    generator: str
    looks: int
    enough: bool
    episodes: Agreed
    bars: list[Bar]
    tools: dict[str, ToolMeasured]
    files: list[FileShown]
    layers: list[Layer]
