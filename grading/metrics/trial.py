"""Figures of one trial that describe how the agent worked; none of them is part of the score."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import orjson
from typing_extensions import TypedDict

from soundstage.grading.checks import Check, conditions, named_row
from soundstage.grading.declarations import ToolData
from soundstage.grading.duplicates import leaves
from soundstage.grading.evidence import Evidence, Step
from soundstage.grading.matchers import Matcher, Ref, inner_matchers
from soundstage.grading.metrics.aggregates import Share, share
from soundstage.grading.metrics.calls import ast, ast_dag
from soundstage.grading.metrics.failure import LISTED, Failure, Setting, failure
from soundstage.grading.metrics.search_results import tools_in_reply
from soundstage.grading.oracle import references
from soundstage.grading.task import Task, all_checks
from soundstage.grading.verdict import Verdict

Tools = Mapping[str, Mapping[str, ToolData]]
"""App → tool → its data."""

LONG_CONTEXT = 32_000
"""Bytes of replies after which information counts as far back in the context."""

_CAUSES = {
    "invalid_arguments": "Parameter Error",
    "invalid": "Parameter Error",
    "limit": "Parameter Error",
    "not_found": "Resource Not Found",
    "unauthorized": "Auth Error",
    "permission": "Auth Error",
    "internal": "API Error",
    "conflict": "API Error",
    "rate_limited": "Rate/HTTP Error",
    "unavailable": "Rate/HTTP Error",
    "budget_exceeded": "Rate/HTTP Error",
    "unknown_tool": "Unknown Tool",
}
_ID = re.compile(r"(?=(?:.*\d){2})(?=(?:.*[A-Za-z]){2})[A-Za-z0-9_-]{10,}")


class Search(TypedDict):
    """A tool search with the rank, from 1, of the first tool that the oracle or an equivalent calls, or None."""

    query: str
    found: int
    rank: int | None


class Figures(TypedDict):
    """A trial's figures; shares count calls unless the name says otherwise, and None means no data."""

    tool_calls: dict[str, Share]
    root_causes: dict[str, int]
    struck_failures: int
    schema: Share
    order: Share
    recovery_by_turns: Share
    diversity: float | None
    tools_used: int
    searches: list[Search]
    under_explored: bool | None
    invented_ids: int
    over_long_context: bool | None
    ast: float | None
    ast_dag: bool | None
    failure: Failure | None


def figures(task: Task, evidence: Evidence, verdict: Verdict, tools: Tools, setting: Setting = LISTED) -> Figures:
    """Return all figures of one trial."""
    return Figures(
        tool_calls=tool_calls(evidence.calls),
        root_causes=root_causes(evidence.calls, _given(task)),
        struck_failures=sum(not c.ok and c.struck is not None for c in evidence.calls),
        schema=schema(evidence.calls),
        order=order(task, verdict),
        recovery_by_turns=recovery_by_turns(evidence.calls),
        diversity=diversity(task, evidence.calls, tools),
        tools_used=len({(c.app, c.tool) for c in evidence.calls}),
        searches=searches(task, evidence.steps),
        under_explored=under_explored(task, evidence, verdict),
        invented_ids=invented_ids(task, evidence),
        over_long_context=over_long_context(task, evidence, verdict),
        ast=ast(task, evidence, tools),
        ast_dag=ast_dag(task, evidence, tools),
        failure=failure(task, evidence, verdict, tools, setting),
    )


def no_figures() -> Figures:
    """Return the figures of a trial that could not be graded."""
    nothing = share(0, 0)
    return Figures(
        tool_calls={}, root_causes={}, struck_failures=0, schema=nothing, order=nothing, recovery_by_turns=nothing,
        diversity=None, tools_used=0, searches=[], under_explored=None, invented_ids=0, over_long_context=None, ast=None,
        ast_dag=None, failure=Failure(error="Other", because="infra"),
    )  # fmt: skip


def tool_calls(calls: Iterable[Step]) -> dict[str, Share]:
    """Return the share of successful calls of each tool, without calls with injected faults."""
    by_tool: dict[str, list[bool]] = {}
    for call in calls:
        if call.struck is None:
            by_tool.setdefault(f"{call.app}/{call.tool}", []).append(call.ok)
    return {tool: share(sum(oks), len(oks)) for tool, oks in sorted(by_tool.items())}


def root_causes(calls: Iterable[Step], giving: frozenset[tuple[str | None, str]] = frozenset()) -> dict[str, int]:
    """Count the causes of failed calls without injected faults.

    `giving` are tools whose replies the oracle uses; a call of one of them also fails if all lists in its reply are empty.
    """
    result: dict[str, int] = {}
    for call in calls:
        if call.struck is not None or (call.ok and not ((call.app, call.tool) in giving and _is_empty(call.reply))):
            continue
        other = "Rate/HTTP Error" if call.reply is None else "Other"
        cause = "Empty Result" if call.ok else _CAUSES.get(call.error_kind or "", other)
        result[cause] = result.get(cause, 0) + 1
    return dict(sorted(result.items()))


def _given(task: Task) -> frozenset[tuple[str | None, str]]:
    """Return the tools whose replies the oracle uses; its own replies were not empty."""
    taken = {label for call in task.oracle for label in references(call.model_copy(update={"after": ()}))}
    return frozenset((call.app, call.tool) for call in task.oracle if call.as_ in taken)


def _is_empty(reply: object) -> bool:
    """Whether a reply contains lists and all of them are empty."""
    lists = [one for text in leaves(reply) for one in _lists(_json(text))]
    return bool(lists) and not any(lists)


def _json(text: str) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _lists(value: object) -> Iterator[list[object]]:
    if isinstance(value, list):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _lists(inner)


def schema(calls: Iterable[Step]) -> Share:
    """Return the share of calls whose arguments match the tool's schema; calls of unknown tools do not."""
    given = list(calls)
    return share(sum(bool(c.fits) for c in given), len(given))


def order(task: Task, verdict: Verdict) -> Share:
    """Return the share of `after` edges that were respected, among those whose two checks both occurred."""
    steps = {c.id: c.step for c in verdict.checks}
    edges = [
        (steps[earlier], steps[check.id])
        for check in all_checks(task)
        for earlier in check.after
        if steps.get(earlier) is not None and steps.get(check.id) is not None
    ]
    return share(sum(first <= then for first, then in edges if first is not None and then is not None), len(edges))


def recovery_by_turns(calls: Sequence[Step]) -> Share:
    """Return recovery as C-World defines it: the share of failed calls whose next call, whatever it was, succeeded."""
    after_failure = [then.ok for first, then in pairwise(calls) if not first.ok]
    return share(sum(after_failure), len(after_failure))


def diversity(task: Task, calls: Iterable[Step], tools: Tools) -> float | None:
    """Return the number of apps that the agent read divided by the number that the oracle reads, at most 1."""

    def read(app: str | None, tool: str) -> bool:
        known = tools.get(app or "", {}).get(tool)
        return known is not None and known.effect == "read"

    wanted = {c.app for c in task.oracle if read(c.app, c.tool)}
    seen = {c.app for c in calls if c.ok and read(c.app, c.tool)}
    return min(1.0, len(seen) / len(wanted)) if wanted else None


def searches(task: Task, steps: Iterable[Step]) -> list[Search]:
    """Return the tool searches, each with the rank of the first tool that the oracle calls.

    Empty if the oracle is withheld, because the expected tools are unknown.
    """
    if not task.oracle:
        return []
    calls = [c.call for c in (*task.oracle, *(c for one in task.equivalents for c in one.add))]
    calls += [str(put["call"]) for one in task.equivalents for put in one.replace.values() if "call" in put]
    useful = {name for app, _, tool in (c.partition("/") for c in calls) for name in (tool, f"{app}_{tool}")}
    result: list[Search] = []
    for step in steps:
        if step.kind != "search" or step.tool != "search_tools" or not step.ok:
            continue
        names = [str(one.get("name")) for one in tools_in_reply(step)]
        rank = next((i for i, name in enumerate(names, 1) if name in useful), None)
        result.append(Search(query=str((step.arguments or {}).get("query", "")), found=len(names), rank=rank))
    return result


def under_explored(task: Task, evidence: Evidence, verdict: Verdict) -> bool | None:
    """Whether a failed trial failed a check about a row that no reply had shown; None for a successful trial."""
    if verdict.success:
        return None
    replies = [_reply_text(step) for step in evidence.steps]
    return any(
        not any(i in text for text in replies for i in _ids(name, evidence))
        for check in _failed(task, verdict)
        for name in _names(check)
        if name in evidence.names
    )


def over_long_context(task: Task, evidence: Evidence, verdict: Verdict) -> bool | None:
    """Whether a check failed about a row seen more than 32 kB of replies before the wrong step or the end."""
    if verdict.success:
        return None
    steps = {c.id: c.step for c in verdict.checks}
    return any(
        _far_behind(evidence, _ids(name, evidence), steps.get(check.id))
        for check in _failed(task, verdict)
        for name in _names(check)
        if name in evidence.names
    )


def _far_behind(evidence: Evidence, ids: Iterable[str], until: int | None) -> bool:
    seen, bytes_since = False, 0
    for step in evidence.steps:
        if until is not None and step.step >= until:
            break
        text = _reply_text(step)
        if any(i in text for i in ids):
            seen, bytes_since = True, 0
        elif seen:
            bytes_since += len(text.encode())
    return seen and bytes_since > LONG_CONTEXT


def invented_ids(task: Task, evidence: Evidence) -> int:
    """Count the calls with an id-like value that is in no earlier reply, not in the instruction and not a task name."""
    known = " ".join([task.instruction, *task.variants.values(), *("/".join(key) for key in evidence.names.values())])
    count, texts = 0, [known]
    own = {call.step for call in evidence.calls}
    for step in evidence.steps:
        values = [v for v in leaves(step.arguments) if _ID.fullmatch(v)] if step.step in own else []
        count += any(not any(value in text for text in texts) for value in values)
        texts.append(_reply_text(step))
    return count


def _reply_text(step: Step) -> str:
    """Return a reply as one text, with escapes of embedded JSON decoded."""
    return "" if step.reply is None else orjson.dumps(step.reply).decode().replace('\\"', '"')


def _failed(task: Task, verdict: Verdict) -> Iterator[Check]:
    failed = {c.id for c in verdict.checks if not c.passed}
    return (check for check in all_checks(task) if check.id in failed)


def _names(check: Check) -> list[str]:
    """Return the task names that a check refers to."""
    row = named_row(check)
    matchers = [matcher for group in conditions(check).values() for matcher in group.values()]
    return ([] if row is None else [row]) + [name for matcher in matchers for name in _refs(matcher)]


def _refs(matcher: Matcher) -> Iterator[str]:
    if isinstance(matcher, Ref):
        yield matcher.name
    for inner in inner_matchers(matcher):
        yield from _refs(inner)


def _ids(name: str, evidence: Evidence) -> frozenset[str]:
    return evidence.ids(name, evidence.names[name][0])
