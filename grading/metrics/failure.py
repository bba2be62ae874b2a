"""Classify failed trials as LiveMCPBench does (Tool, Query, Retrieve or Other), by rules on the journal and the ledger.

A needed tool is one that the oracle calls. It counts as used if it, or another tool of the app with the same effect on the same
entity, succeeded; another way to the same rows is therefore not a failure of a tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from typing_extensions import TypedDict

from soundstage.grading.declarations import ToolData
from soundstage.grading.evidence import Evidence, Step
from soundstage.grading.metrics.search_results import tools_in_reply
from soundstage.grading.task import Task
from soundstage.grading.verdict import Verdict

Tools = Mapping[str, Mapping[str, ToolData]]
Tool = tuple[str, str]
"""App and tool."""

_NAME_LIMIT = 64
"""Maximum length of names at the shared address."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The conditions of a trial.

    Attributes:
        ended: The trial's ending, as in its result line.
        searched: Whether its address listed only search tools.
        findable: The rank, from 1, of each needed tool (`app/tool`) in a search with the tool's own words, or None.
        default_results: The default number of results of a search.
    """

    ended: str = "answered"
    searched: bool = False
    findable: Mapping[str, int | None] = field(default_factory=dict)
    default_results: int = 5


LISTED = Setting()
"""All tools were listed, and the agent answered."""


class Failure(TypedDict):
    """The class of a failure.

    `because` is the tool (`app/tool`) that caused it. For class Other it is `infra`, `stopped`, `limit`, `fault`, or `work`:
    the tools were available but were not used correctly.
    """

    error: Literal["Tool", "Query", "Retrieve", "Other"]
    because: str


def failure(task: Task, evidence: Evidence, verdict: Verdict, tools: Tools, setting: Setting) -> Failure | None:
    """Return the first class that fits a failed trial.

    None for a successful trial, and if the class cannot be determined: the oracle is withheld, or the rank of its tools is
    unknown.
    """
    if verdict.success:
        return None
    if setting.ended in ("infra", "stopped"):
        return Failure(error="Other", because=setting.ended)
    if task.kept_back:
        return None
    lacking = [tool for tool in _needed(task) if not _had(tool, evidence, tools)]
    shown = [tool for tool in lacking if not setting.searched or tool in _visible(lacking, evidence)]
    for tool in shown:
        if _refused(tool, evidence, tools):
            return Failure(error="Tool", because="/".join(tool))
    hidden = [tool for tool in lacking if tool not in shown]
    if any("/".join(tool) not in setting.findable for tool in hidden):
        return None
    most = _asked_for(evidence, setting.default_results)
    ranks = {"/".join(tool): setting.findable["/".join(tool)] for tool in hidden}
    for name, rank in ranks.items():
        if rank is not None and rank <= most:
            return Failure(error="Query", because=name)
    for name in ranks:
        return Failure(error="Retrieve", because=name)
    if setting.ended in ("limit_calls", "timeout"):
        return Failure(error="Other", because="limit")
    if any(one.recovered is False for one in evidence.struck):
        return Failure(error="Other", because="fault")
    return Failure(error="Other", because="work")


def _needed(task: Task) -> list[Tool]:
    return list(dict.fromkeys((call.app, call.tool) for call in task.oracle))


def _alike(tool: Tool, evidence: Evidence, tools: Tools) -> Iterator[Step]:
    """Yield the calls of a tool and of its app's tools with the same effect on the same entity."""
    app, name = tool
    of_app = tools.get(app, {})
    does = _does(of_app.get(name))
    for call in evidence.calls:
        if call.app == app and (call.tool == name or (does is not None and _does(of_app.get(call.tool)) == does)):
            yield call


def _does(known: ToolData | None) -> tuple[str, str] | None:
    return None if known is None or known.entity is None else (known.effect, known.entity)


def _had(tool: Tool, evidence: Evidence, tools: Tools) -> bool:
    return any(call.ok for call in _alike(tool, evidence, tools))


def _refused(tool: Tool, evidence: Evidence, tools: Tools) -> bool:
    """Whether every call of a tool failed in the app; calls with injected faults are ignored."""
    return any(call.struck is None for call in _alike(tool, evidence, tools))


def _visible(wanted: list[Tool], evidence: Evidence) -> set[Tool]:
    """Return the tools that a search returned, that were described, or that were called anyway."""
    names = {str(one.get("name")) for step in evidence.steps for one in tools_in_reply(step)}
    called = {(call.app, call.tool) for call in evidence.calls}
    return {
        (app, name) for app, name in wanted if (app, name) in called or names & {name, f"{app}_{name}"[:_NAME_LIMIT]}
    }


def _asked_for(evidence: Evidence, usual: int) -> int:
    """Return the largest number of results that the agent's searches requested; `usual` without searches."""
    searches = [s for s in evidence.steps if s.kind == "search" and s.tool == "search_tools" and s.ok]
    return max((int((s.arguments or {}).get("k", usual)) for s in searches), default=usual)
