"""The response models of the API for recordings and synthesised apps."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class Rate(BaseModel):
    """A rate with its 95 % interval (Wilson); null without data."""

    count: int
    of: int
    rate: float | None
    low: float | None
    high: float | None


class Agreed(BaseModel):
    """The number of held-out episodes, and of those that agree completely."""

    agree: int
    of: int


class Server(BaseModel):
    """A server's own name and version."""

    name: str
    version: str


# -- at a glance --------------------------------------------------------------------------------------------------------


class PoolListed(BaseModel):
    """A recording. If it cannot be read, `problem` has the reason and the rest is null; goals are null until a run has ended."""

    name: str
    problem: str | None = None
    server: str | None = None
    id: str | None = Field(None, description="digest of the server's tool list; a synthesis names its recording by it")
    tools: int | None = None
    calls: int | None = None
    covered: int | None = None
    applicable: int | None = None


class AppListed(BaseModel):
    """A synthesised app. If its lock cannot be read, `problem` has the reason and the rest is null."""

    name: str
    problem: str | None = None
    server: str | None = None
    pool: str | None = Field(None, description="the id of the recording that it was generated from")
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
    """An app whose generation is running or was interrupted, with the number of stored answers."""

    name: str
    answers: int


class Overview(BaseModel):
    """The contents of a data folder."""

    pools: list[PoolListed]
    apps: list[AppListed]
    begun: list[Begun]


# -- a pool -------------------------------------------------------------------------------------------------------------


class Edge(BaseModel):
    """A data flow from a place in one tool's replies to another tool's parameter; `proof`: a changed value was rejected."""

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
    """The recording of a tool.

    `unseen` is the estimated share of behaviour not seen yet, `missing` lists goals that were not reached with the reason,
    `refusals` the error messages; `more_…` is the number of omitted items.
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
    """The number of goals reached of those that apply."""

    covered: int
    applicable: int
    share: float | None


class PoolShown(BaseModel):
    """A recording; `refused_by_plan` lists tools that may not be called with the reason, `volatile` the varying parts by tool."""

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
    """Scores of a kernel; `broken` counts calls that raised or made forbidden changes."""

    cases: int
    outcome: Rate
    false_positives: Rate
    exact: Rate
    key_paths: Rate
    state: Rate
    broken: int


class Bar(BaseModel):
    """A score in percent, with its interval and its threshold."""

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
    """A line of a difference: `gone` is the real server's text, `new` the kernel's."""

    kind: Literal["gone", "new", "at", "plain"]
    text: str


class Mismatch(BaseModel):
    """A call whose reply differs from the real server's."""

    head: str
    lines: list[DiffLine]


class ToolMeasured(BaseModel):
    """A tool: its call handler with the reason, the number of rounds, and the chosen candidate's scores."""

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
    """A file of a synthesised app, with its origin and acceptance."""

    file: str
    origin: str
    accepted: str


class Layer(BaseModel):
    """A sandbox layer used during measurement; not `had`: unavailable on the measuring machine."""

    name: str
    what: str
    had: bool


class SynthesisShown(BaseModel):
    """A synthesised app, measured on held-out calls; `looks` counts the measurements.

    Without `enough` agreeing episodes, nothing is served until a person accepts the app.
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
