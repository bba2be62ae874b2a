"""`results.jsonl`: one line per trial, the source of every table, page and plot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NotRequired

import orjson
from typing_extensions import TypedDict

from soundstage.gateway.search.declared import DEFAULT_RESULTS, SEARCH_TOOLS
from soundstage.grading.checks import Outcome
from soundstage.grading.metrics.failure import Setting
from soundstage.grading.metrics.trial import Figures, figures, no_figures
from soundstage.grading.task import Kind, Task, all_checks
from soundstage.grading.verdict import Verdict
from soundstage.runs.sealed import Ended, Sealed, canonical, evidence_of

GRADER = "1.1"
"""The version of the grading rules; it changes whenever a trial may be graded differently.

1.1: a text of more than 32 KiB fails every condition on text; 1.0 graded texts of any length.
"""


class AgentLine(TypedDict):
    """The agent of a trial, as the run declares it."""

    name: str
    version: str | None
    model: str | None


class CheckLine(TypedDict):
    """A check's result; `work` is its class, `part` the share of satisfied conditions, `step` what satisfied or broke it."""

    work: str
    passed: bool
    part: float
    why: str
    step: int | None


class BreachLine(TypedDict):
    """A change that no check asked for; `never` marks one that sets the score to 0."""

    app: str
    entity: str
    id: str
    op: str
    fields: list[str]
    step: int | None
    never: bool
    why: str


class UsageLine(TypedDict):
    """The agent's usage as reported by the runner; `turns` counts model requests and is missing in older lines."""

    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    turns: NotRequired[int | None]
    reported_by: str


class FaultLine(TypedDict):
    """An injected fault; `recovered` may be unknown (None)."""

    step: int
    fault: str
    outage: int | None
    recovered: bool | None
    flexible: bool
    writes: bool
    effects: int
    calls_to_recover: int | None
    seconds_to_recover: float | None


BESIDE_UPSTREAMS = "+upstreams"
"""The suffix of a line's `tools` if real servers were listed, too."""


class ResultLine(TypedDict):
    """A trial's line; it contains all task data that tables filter by, so that no other file is needed.

    `oracle_calls` is the length of the task's own solution, `acc` and `exec_acc` are shares of the checks (docs/results.md),
    `wall_s` is real time. `head` is the trial's last digest, `sig` its seal ("" without one).
    """

    run: str
    trial: str
    task: str
    task_version: int
    kind: Kind
    language: str
    tags: list[str]
    apps: list[str]
    oracle_calls: int
    world: str
    agent: AgentLine
    k: int
    seed: int
    faults: str
    variant: str
    tools: str
    ended: Ended
    outcome: Outcome
    success: bool
    score: float
    acc: float
    exec_acc: float
    checks: dict[str, CheckLine]
    breaches: list[BreachLine]
    calls: int
    failed_calls: int
    searches: int
    reply_bytes: int
    faults_landed: int
    recovered: int
    doubled: int
    landed: list[FaultLine]
    figures: Figures
    usage: UsageLine | None
    wall_s: float
    error: str | None
    grader: str
    head: str
    sig: str


def line(sealed: Sealed, task: Task, verdict: Verdict, sig: str = "", *, with_figures: bool = True) -> ResultLine:
    """Build a sealed trial's line; `sig` is its seal, and `with_figures=False` replaces the figures by empty ones."""
    header, steps = sealed.header, sealed.journal
    calls = [s for s in steps if s.kind == "call" and s.user in (None, header.user)]
    usage = header.usage
    classes = {check.id: check.class_ for check in all_checks(task)}
    return ResultLine(
        run=header.run,
        trial=header.trial,
        task=header.task,
        task_version=header.task_version,
        kind=task.kind,
        language=task.language,
        tags=list(task.tags),
        apps=list(header.apps),
        oracle_calls=header.oracle_calls,
        world=f"{header.world}@{header.fingerprint[:8]}",
        agent=AgentLine(name=header.agent.name, version=header.agent.version, model=header.agent.model),
        k=header.k,
        seed=header.seed,
        faults=header.faults,
        variant=header.variant,
        tools=header.tools,
        ended=header.ended,
        outcome=header.outcome,
        success=verdict.success,
        score=verdict.score,
        acc=verdict.acc,
        exec_acc=verdict.exec_acc,
        checks={
            c.id: CheckLine(work=classes[c.id], passed=c.passed, part=c.part, why=c.why, step=c.step)
            for c in verdict.checks
        },
        breaches=[
            BreachLine(
                app=b.app, entity=b.entity, id=b.id, op=b.op, fields=list(b.fields), step=b.step, never=b.never, why=b.why
            )
            for b in verdict.breaches
        ],
        calls=len(calls),
        failed_calls=sum(not s.ok for s in calls),
        searches=sum(s.app is None and s.tool in SEARCH_TOOLS for s in steps),
        reply_bytes=sum(len(canonical(s.reply)) for s in steps if s.reply is not None),
        faults_landed=len(sealed.struck),
        recovered=sum(bool(s.recovered) for s in sealed.struck),
        doubled=sum(bool(s.again) for s in sealed.struck),
        landed=[
            FaultLine(
                step=s.step, fault=s.fault, outage=s.outage, recovered=s.recovered, flexible=s.flexible, writes=s.writes,
                effects=s.effects, calls_to_recover=s.calls_to_recover, seconds_to_recover=s.seconds_to_recover,
            )
            for s in sealed.struck
        ],
        figures=figures(task, evidence_of(sealed, task), verdict, sealed.tools, _setting(sealed))
        if with_figures
        else no_figures(),
        usage=None
        if usage is None
        else UsageLine(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            turns=usage.turns,
            cost_usd=usage.cost_usd,
            reported_by=usage.reported_by,
        ),
        wall_s=(header.ended_ms - header.started_ms) / 1000,
        error=header.error,
        grader=GRADER,
        head=f"b2:{sealed.head}",
        sig=sig,
    )  # fmt: skip


def _setting(sealed: Sealed) -> Setting:
    listed = sealed.header.tools.partition("+")[0]
    return Setting(sealed.header.ended, listed == "search", sealed.findable, DEFAULT_RESULTS)


def comparable(result: ResultLine) -> bool:
    """Whether a trial is comparable with others; trials with real servers are not, because these are not reproducible."""
    return not result["tools"].endswith(BESIDE_UPSTREAMS)


def written(results: Iterable[Mapping[str, Any] | ResultLine]) -> bytes:
    """Serialize lines for `results.jsonl`, with checks in the order of the task."""
    return b"".join(orjson.dumps(one) + b"\n" for one in results)


def read_results(file: Path) -> list[ResultLine]:
    """Read the lines of a `results.jsonl`.

    Raises:
        ValueError: A line is invalid; the message names it.
    """
    result: list[ResultLine] = []
    for number, text in enumerate(file.read_bytes().splitlines(), 1):
        try:
            result.append(orjson.loads(text))
        except orjson.JSONDecodeError as error:
            raise ValueError(f"{file.name}:{number}: no JSON: {error}") from None
    return result
