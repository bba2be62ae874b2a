"""Result tables, computed from `results.jsonl` alone: agents side by side, the cost of faults, and comparisons of two runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from typing_extensions import TypedDict

from soundstage.gateway.faults.report import Time, median_time
from soundstage.grading.metrics import aggregates
from soundstage.grading.metrics.aggregates import Share, share
from soundstage.grading.metrics.failure import Failure
from soundstage.runs.results import FaultLine, ResultLine, comparable
from soundstage.runs.statistics import Interval, PairedTest, over_tasks, paired_test, share_over_tasks, wilson

FEW_EVENTS = 20
"""With fewer events of a kind, its figure is only an indication."""

INFRA_MOST = 0.02
"""The share of trials lost to infrastructure above which a run counts as incomplete."""

UNTOLD = "untold"
"""The class of failed trials whose cause cannot be determined because their oracles are withheld."""

_AT = (1, 5, 10)


class Coping(TypedDict):
    """How an agent coped with one kind of fault, counted by outage: a lasting fault counts once.

    Calls and seconds to recover are measured from an outage's first call, if the agent recovered. `few` is true for fewer than
    `FEW_EVENTS` outages.
    """

    fault: str
    landed: int
    recovery: Interval
    flexibility: Interval
    calls_to_recover: Time
    seconds_to_recover: Time
    few: bool


class AgentRow(TypedDict):
    """Results of one agent for one setting of faults, variant and tools; means are over tasks, None without data."""

    run: str
    agent: str
    version: str | None
    model: str | None
    faults: str
    variant: str
    tools: str
    tasks: int
    trials: int
    success: Interval
    score: Interval
    acc: Interval
    exec_acc: Interval
    exec_acc_by_work: dict[str, float]
    sr_08: Share
    pass_at: dict[str, float | None]
    pass_all: dict[str, float | None]
    collateral: Share
    breaches_by_app: dict[str, int]
    ended: dict[str, int]
    incomplete: bool
    calls: float | None
    failed_calls: float | None
    turns: float | None
    tools_used: float | None
    searches: float | None
    recall_at: dict[str, Share]
    reply_bytes: float | None
    input_tokens: float | None
    output_tokens: float | None
    cost_usd: float | None
    wall_s: float | None
    tool_success: Share
    tool_success_by_tool: dict[str, Share]
    root_causes: dict[str, int]
    struck_failures: int
    schema: Share
    order: Share
    diversity: float | None
    ast: float | None
    ast_dag: Share
    failed: int
    failures: dict[str, int]
    under_explored: Share
    over_long_context: Share
    invented_ids: int
    recovery_by_turns: Share
    coping: list[Coping]
    exactly_once: Share
    doubled: int
    faults_landed: int


class Robustness(TypedDict):
    """The cost of faults for an agent: pairs of trials of one task, seed and number, with and without faults.

    `landed` is the number of outages in the trials with faults.
    """

    agent: str
    faults: str
    tasks: int
    pairs: int
    landed: int
    test: PairedTest


class Report(TypedDict):
    """The result tables of some runs: a row per agent and setting, and the cost of faults."""

    rows: list[AgentRow]
    robustness: list[Robustness]


class Flip(TypedDict):
    """A task whose success differs between two runs, with the successful trials in each."""

    task: str
    first: Share
    second: Share


class Comparison(TypedDict):
    """A comparison of two runs over their common tasks; `flips` lists the tasks whose success differs."""

    first: str
    second: str
    tasks: int
    only_first: list[str]
    only_second: list[str]
    success: PairedTest
    score: PairedTest
    flips: list[Flip]


@dataclass(frozen=True, slots=True)
class LineFilter:
    """A filter of result lines; None does not restrict, and `length` bounds the number of oracle calls."""

    tag: str | None = None
    kind: str | None = None
    app: str | None = None
    language: str | None = None
    length: tuple[int, int] | None = None

    def matches(self, line: ResultLine) -> bool:
        """Return whether a result line passes the filter."""
        return (
            (self.tag is None or self.tag in line["tags"])
            and (self.kind is None or self.kind == line["kind"])
            and (self.app is None or self.app in line["apps"])
            and (self.language is None or self.language == line["language"])
            and (self.length is None or self.length[0] <= line["oracle_calls"] <= self.length[1])
        )


def report(lines: Iterable[ResultLine], line_filter: LineFilter = LineFilter()) -> Report:
    """Compute the tables of some runs; trials with upstreams get a separate row and count in no other figure."""
    selected = [line for line in lines if line_filter.matches(line)]
    groups = _grouped(selected, _setting)
    paired = [line for line in selected if comparable(line)]
    return Report(rows=[_row(group) for group in groups.values()], robustness=_robustness(paired))


def compare(first: Sequence[ResultLine], second: Sequence[ResultLine]) -> Comparison:
    """Compare two runs task by task; trials are matched by task, variant and faults."""
    first, second = ([line for line in lines if comparable(line)] for lines in (first, second))
    a, b = (_grouped(lines, lambda line: (line["task"], line["variant"], line["faults"])) for lines in (first, second))
    both = [key for key in a if key in b]
    tasks = list(dict.fromkeys(key[0] for key in both))

    def values(
        groups: Mapping[tuple[str, ...], list[ResultLine]], task: str, of: Callable[[ResultLine], float]
    ) -> list[float]:
        return [of(line) for key in both if key[0] == task for line in groups[key]]

    def test(of: Callable[[ResultLine], float]) -> PairedTest:
        return paired_test([(values(a, task, of), values(b, task, of)) for task in tasks])

    flips: list[Flip] = []
    for task in tasks:
        then, now = ([bool(v) for v in values(groups, task, _success)] for groups in (a, b))
        if sum(then) * len(now) != sum(now) * len(then):
            flips.append(Flip(task=task, first=share(sum(then), len(then)), second=share(sum(now), len(now))))
    return Comparison(
        first=_run(first),
        second=_run(second),
        tasks=len(tasks),
        only_first=sorted({key[0] for key in a} - set(tasks)),
        only_second=sorted({key[0] for key in b} - set(tasks)),
        success=test(_success),
        score=test(lambda line: line["score"]),
        flips=flips,
    )


def _run(lines: Sequence[ResultLine]) -> str:
    return ", ".join(dict.fromkeys(line["run"] for line in lines))


def _setting(line: ResultLine) -> tuple[str, ...]:
    agent = line["agent"]
    values = (
        line["run"],
        agent["name"],
        agent["version"],
        agent["model"],
        line["faults"],
        line["variant"],
        line["tools"],
    )
    return tuple(value or "" for value in values)


def _grouped(
    lines: Iterable[ResultLine], key: Callable[[ResultLine], tuple[str, ...]]
) -> dict[tuple[str, ...], list[ResultLine]]:
    result: dict[tuple[str, ...], list[ResultLine]] = {}
    for line in lines:
        result.setdefault(key(line), []).append(line)
    return result


def _success(line: ResultLine) -> float:
    return float(line["success"])


def by_task(lines: Iterable[ResultLine], of: Callable[[ResultLine], float]) -> list[list[float]]:
    """Return a value of each trial, grouped by task."""
    return [[of(line) for line in group] for group in _grouped(lines, lambda line: (line["task"],)).values()]


def _row(lines: list[ResultLine]) -> AgentRow:
    first = lines[0]
    successes = [[bool(v) for v in values] for values in by_task(lines, _success)]
    counts = [(len(values), sum(values)) for values in successes]
    most = max(n for n, _ in counts)
    figures = [line["figures"] for line in lines]
    ranks = [search["rank"] for f in figures for search in f["searches"]]
    landed = [fault for line in lines for fault in outages(line["landed"])]
    failed = [f for f, line in zip(figures, lines, strict=True) if not line["success"]]
    infra = sum(line["ended"] == "infra" for line in lines)
    return AgentRow(
        run=first["run"],
        agent=first["agent"]["name"],
        version=first["agent"]["version"],
        model=first["agent"]["model"],
        faults=first["faults"],
        variant=first["variant"],
        tools=first["tools"],
        tasks=len(successes),
        trials=len(lines),
        success=share_over_tasks(successes),
        score=over_tasks(by_task(lines, lambda line: line["score"])),
        acc=over_tasks(by_task(lines, lambda line: line["acc"])),
        exec_acc=over_tasks(by_task(lines, lambda line: line["exec_acc"])),
        exec_acc_by_work=_by_work(lines),
        sr_08=aggregates.share_above((line["acc"] for line in lines), 0.8),
        pass_at={str(k): aggregates.mean_pass_at(k, counts) for k in range(1, most + 1)},
        pass_all={str(k): aggregates.mean_pass_all(k, counts) for k in range(1, most + 1)},
        collateral=share(sum(bool(line["breaches"]) for line in lines), len(lines)),
        breaches_by_app=_counted(b["app"] for line in lines for b in line["breaches"]),
        ended=_counted(line["ended"] for line in lines),
        incomplete=infra > INFRA_MOST * len(lines),
        calls=_mean(line["calls"] for line in lines),
        failed_calls=_mean(line["failed_calls"] for line in lines),
        turns=_mean(line["usage"].get("turns") if line["usage"] else None for line in lines),
        tools_used=_mean(f["tools_used"] for f in figures),
        searches=_mean(line["searches"] for line in lines),
        recall_at={str(k): aggregates.recall_at(k, ranks) for k in _AT},
        reply_bytes=_mean(line["reply_bytes"] for line in lines),
        input_tokens=_mean(line["usage"]["input_tokens"] if line["usage"] else None for line in lines),
        output_tokens=_mean(line["usage"]["output_tokens"] if line["usage"] else None for line in lines),
        cost_usd=_mean(line["usage"]["cost_usd"] if line["usage"] else None for line in lines),
        wall_s=_mean(line["wall_s"] for line in lines),
        tool_success=_summed(one for f in figures for one in f["tool_calls"].values()),
        tool_success_by_tool=_by_tool(lines),
        root_causes=_added(f["root_causes"] for f in figures),
        struck_failures=sum(f["struck_failures"] for f in figures),
        schema=_summed(f["schema"] for f in figures),
        order=_summed(f["order"] for f in figures),
        diversity=_mean(f["diversity"] for f in figures),
        ast=_mean(f["ast"] for f in figures),
        ast_dag=_share_of_true(f["ast_dag"] for f in figures),
        failed=len(failed),
        failures=_counted(_sort(f.get("failure")) for f in failed),
        under_explored=_share_of_true(f["under_explored"] for f in failed),
        over_long_context=_share_of_true(f["over_long_context"] for f in failed),
        invented_ids=sum(f["invented_ids"] for f in figures),
        recovery_by_turns=_summed(f["recovery_by_turns"] for f in figures),
        coping=[_coping(kind, group) for kind, group in _by_kind(landed).items()],
        exactly_once=aggregates.exactly_once(
            max(e["effects"] for e in o) for o in landed if any(e["writes"] for e in o)
        ),
        doubled=sum(line["doubled"] for line in lines),
        faults_landed=len(landed),
    )


def _sort(failure: Failure | None) -> str:
    """Return the failure class of a failed trial: Tool, Query, Retrieve, Other with its cause, or `UNTOLD`."""
    if failure is None:
        return UNTOLD
    return f"Other: {failure['because']}" if failure["error"] == "Other" else failure["error"]


def outages(landed: Iterable[FaultLine]) -> list[list[FaultLine]]:
    """Group the faults of a trial by outage."""
    result: dict[int, list[FaultLine]] = {}
    for one in landed:
        result.setdefault(one["step"] if one["outage"] is None else one["outage"], []).append(one)
    return list(result.values())


def _by_kind(landed: Iterable[list[FaultLine]]) -> dict[str, list[list[FaultLine]]]:
    result: dict[str, list[list[FaultLine]]] = {}
    for outage in landed:
        result.setdefault(outage[0]["fault"], []).append(outage)
    return dict(sorted(result.items()))


def _coping(kind: str, outages_of_kind: Sequence[list[FaultLine]]) -> Coping:
    known = [[bool(e["recovered"]) for e in outage if e["recovered"] is not None] for outage in outages_of_kind]
    judged = [all(one) for one in known if one]
    firsts = [outage[0] for outage in outages_of_kind]
    return Coping(
        fault=kind,
        landed=len(outages_of_kind),
        recovery=wilson(sum(judged), len(judged)),
        flexibility=wilson(sum(any(e["flexible"] for e in outage) for outage in outages_of_kind), len(outages_of_kind)),
        calls_to_recover=median_time([c for e in firsts if (c := e["calls_to_recover"]) is not None]),
        seconds_to_recover=median_time([s for e in firsts if (s := e["seconds_to_recover"]) is not None]),
        few=len(outages_of_kind) < FEW_EVENTS,
    )


def _robustness(lines: Sequence[ResultLine]) -> list[Robustness]:
    result: list[Robustness] = []
    for key, of_agent in _grouped(lines, lambda line: (line["run"], line["agent"]["name"])).items():
        trials = {(o["task"], o["variant"], o["seed"], o["k"], o["faults"]): o for o in of_agent}
        for faults in dict.fromkeys(line["faults"] for line in of_agent if line["faults"] != "off"):
            pairs: dict[str, list[tuple[ResultLine, ResultLine]]] = {}
            for (task, variant, seed, k, under), on in trials.items():
                off = trials.get((task, variant, seed, k, "off"))
                if under == faults and off is not None:
                    pairs.setdefault(task, []).append((off, on))
            if pairs:
                result.append(_cost_of(key[1], faults, pairs))
    return result


def _cost_of(agent: str, faults: str, pairs: Mapping[str, Sequence[tuple[ResultLine, ResultLine]]]) -> Robustness:
    values = [
        ([_success(off) for off, _ in of_task], [_success(on) for _, on in of_task]) for of_task in pairs.values()
    ]
    return Robustness(
        agent=agent,
        faults=faults,
        tasks=len(pairs),
        pairs=sum(len(of_task) for of_task in pairs.values()),
        landed=sum(len(outages(on["landed"])) for of_task in pairs.values() for _, on in of_task),
        test=paired_test(values),
    )


def _by_work(lines: Sequence[ResultLine]) -> dict[str, float]:
    """Return Exec-Acc for each class of check."""
    works = sorted({check["work"] for line in lines for check in line["checks"].values()})
    result: dict[str, float] = {}
    for work in works:
        of_work = [line for line in lines if any(c["work"] == work for c in line["checks"].values())]

        def passed(line: ResultLine, work: str = work) -> float:
            return fmean(c["passed"] for c in line["checks"].values() if c["work"] == work)

        value = aggregates.mean_of_tasks(by_task(of_work, passed))
        if value is not None:
            result[work] = value
    return result


def _by_tool(lines: Sequence[ResultLine]) -> dict[str, Share]:
    tools = sorted({tool for line in lines for tool in line["figures"]["tool_calls"]})
    return {
        tool: _summed(f for line in lines if (f := line["figures"]["tool_calls"].get(tool)) is not None)
        for tool in tools
    }


def _summed(shares: Iterable[Share]) -> Share:
    given = list(shares)
    return share(sum(s["count"] for s in given), sum(s["of"] for s in given))


def _share_of_true(values: Iterable[bool | None]) -> Share:
    known = [v for v in values if v is not None]
    return share(sum(known), len(known))


def _mean(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return fmean(known) if known else None


def _counted(values: Iterable[str]) -> dict[str, int]:
    result: dict[str, int] = {}
    for value in values:
        result[value] = result.get(value, 0) + 1
    return dict(sorted(result.items()))


def _added(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    result: dict[str, int] = {}
    for one in counts:
        for name, count in one.items():
            result[name] = result.get(name, 0) + count
    return dict(sorted(result.items()))
