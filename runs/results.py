"""`results.jsonl`: one line a trial, from which every table, page and plot is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NotRequired

import orjson
from typing_extensions import TypedDict

from soundstage.gateway.search.declared import FOUND, SEARCH_TOOLS
from soundstage.grading.metrics.failure import Setting
from soundstage.grading.metrics.trial import Figures, figures, no_figures
from soundstage.grading.task import Kind, Outcome, Task, all_checks
from soundstage.grading.verdict import Verdict
from soundstage.runs.sealed import Ended, Sealed, canonical, evidence_of

GRADER = "1.1"
"""The version of the rules by which verdicts are reached; a change of what a trial is worth gives it another.

1.1: a text of more than 32 KiB fails every condition on text; 1.0 graded texts of any length.
"""


class AgentLine(TypedDict):
    name: str
    version: str | None
    model: str | None


class CheckLine(TypedDict):
    """`work` is the class of its check, `part` the share of its conditions that hold, `step` what made it true or broke it."""

    work: str
    passed: bool
    part: float
    why: str
    step: int | None


class BreachLine(TypedDict):
    app: str
    entity: str
    id: str
    op: str
    fields: list[str]
    step: int | None
    never: bool
    why: str


class UsageLine(TypedDict):
    """What the agent used, as the runner says. `turns` is how often its model was asked; earlier lines lack it."""

    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    turns: NotRequired[int | None]
    reported_by: str


class FaultLine(TypedDict):
    """A fault that landed. `recovered` is None where nothing can tell."""

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
"""What `tools` of a line ends with where real servers were listed, too."""


class ResultLine(TypedDict):
    """A trial's line. Everything about the task that tables are cut by stands in it, so no other file is needed.

    `oracle_calls` is how long the task's own solution is, `acc` and `exec_acc` are shares of the checks (docs/results.md),
    `wall_s` is real time; `head` is the trial's last digest, `sig` its seal, "" where it has none.
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
    """A sealed trial's line. `sig` is its seal, where it has one; without figures, those say that nothing was counted."""
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
    return Setting(sealed.header.ended, listed == "search", sealed.findable, FOUND)


def comparable(result: ResultLine) -> bool:
    """Whether a trial's success counts among others': not where real servers stood beside the simulated ones, which nobody can
    have do the same again.
    """
    return not result["tools"].endswith(BESIDE_UPSTREAMS)


def written(results: Iterable[Mapping[str, Any] | ResultLine]) -> bytes:
    """Lines as `results.jsonl` has them; checks stay in the order of the task."""
    return b"".join(orjson.dumps(one) + b"\n" for one in results)


def read_results(file: Path) -> list[ResultLine]:
    """The lines of a `results.jsonl`.

    Raises:
        ValueError: naming the line that is none.
    """
    found: list[ResultLine] = []
    for number, text in enumerate(file.read_bytes().splitlines(), 1):
        try:
            found.append(orjson.loads(text))
        except orjson.JSONDecodeError as error:
            raise ValueError(f"{file.name}:{number}: no JSON: {error}") from None
    return found
