"""Compare the agent's calls with the oracle's (AST and AST-DAG of MCPToolBench++), for diagnosis only.

Other calls may have the same effect. Arguments that the oracle takes from earlier replies (`${…}`) count as right if the agent
also took them from a reply, because the oracle's own replies are not available during grading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from soundstage.grading.checks import final_conditions
from soundstage.grading.declarations import ToolData
from soundstage.grading.duplicates import leaves
from soundstage.grading.evidence import Evidence, Step
from soundstage.grading.matchers import Matcher, Reading, reads_text, without_bind
from soundstage.grading.oracle import references
from soundstage.grading.pairs import paired
from soundstage.grading.task import OracleCall, Task, all_checks
from soundstage.grading.texts.normalize import without_punctuation

Tools = Mapping[str, Mapping[str, ToolData]]

_REFERENCE = re.compile(r"\$\{[^}]*\}")
_NAME = re.compile(r"@\{?([A-Za-z_]\w*)\}?")
_TAKEN = 6  # minimum length of a value that reveals its source


def ast(task: Task, evidence: Evidence, tools: Tools) -> float | None:
    """Return the share of the oracle's writing calls (or of its only call) that match a separate call of the agent.

    A match has the same tool and all its required arguments. None if the oracle makes no call or is withheld.
    """
    nodes = _judged(task, tools)
    if not nodes:
        return None
    return len(_matched(nodes, task, evidence, tools)) / len(nodes)


def ast_dag(task: Task, evidence: Evidence, tools: Tools) -> bool | None:
    """Whether each final call of the oracle matches a call of the agent with equivalent dependencies.

    A call is final if no other call uses its reply or follows it. Dependencies are equivalent if they concern the same
    entities.
    """
    if not task.oracle:
        return None
    by_label = {call.as_: call for call in task.oracle}
    needed = {other for call in task.oracle for other in references(call)}
    last = [call for call in task.oracle if call.as_ not in needed]
    matched = _matched(last, task, evidence, tools)
    if len(matched) < len(last):
        return False
    agents = _ancestors(evidence.calls, task.instruction)
    for label, call in matched.items():
        above = [by_label[other] for other in _above(by_label[label], by_label)]
        wanted = {_entity(c.app, c.tool, tools) for c in above}
        available = {_entity(a.app, a.tool, tools) for a in agents[call.step]}
        if not wanted <= available:
            return False
    return True


def _judged(task: Task, tools: Tools) -> list[OracleCall]:
    writing = [c for c in task.oracle if _effect(c.app, c.tool, tools) != "read"]
    return writing if writing or len(task.oracle) != 1 else list(task.oracle)


def _effect(app: str | None, tool: str, tools: Tools) -> str:
    known = tools.get(app or "", {}).get(tool)
    return "other" if known is None else known.effect


def _entity(app: str | None, tool: str, tools: Tools) -> tuple[str | None, str | None]:
    known = tools.get(app or "", {}).get(tool)
    return app, None if known is None else known.entity


def _matched(nodes: Sequence[OracleCall], task: Task, evidence: Evidence, tools: Tools) -> dict[str, Step]:
    """Return a maximum one-to-one matching of nodes, by their labels, to calls."""
    calls = [c for c in evidence.calls if c.ok]
    fits = [[_same_call(node, call, task, evidence, tools) for call in calls] for node in nodes]
    pairs = paired(len(nodes), len(calls), lambda i, j: fits[i][j])
    return {nodes[i].as_: calls[j] for i, j in pairs.items()}


def _same_call(node: OracleCall, call: Step, task: Task, evidence: Evidence, tools: Tools) -> bool:
    if (node.app, node.tool) != (call.app, call.tool):
        return False
    known = tools.get(node.app, {}).get(node.tool)
    paths = known.required if known is not None else ()
    wanted = [(path, _at(node.with_, path)) for path in paths]
    return all(
        _same(value, _at(call.arguments, path), node, call, task, evidence)
        for path, value in wanted
        if value is not None
    )


def _at(arguments: Any, path: str) -> Any:
    value = arguments
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            return None
        value = value[name]
    return value


def _same(wanted: Any, given: Any, node: OracleCall, call: Step, task: Task, evidence: Evidence) -> bool:
    if isinstance(wanted, Mapping):
        return isinstance(given, Mapping) and all(
            _same(v, given.get(k), node, call, task, evidence) for k, v in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(given, list)
            and len(given) == len(wanted)
            and all(_same(w, g, node, call, task, evidence) for w, g in zip(wanted, given, strict=True))
        )
    if isinstance(wanted, bool) or wanted is None or given is None:
        return bool(wanted == given)
    if isinstance(wanted, str) and _REFERENCE.search(wanted):
        return _stood_before(str(given), call, evidence)
    if isinstance(wanted, str) and (named := _NAME.fullmatch(wanted)):
        ids = evidence.ids(named[1], node.app)
        return str(given) in ids or any(str(given).replace("-", "") == i.replace("-", "") for i in ids)
    if isinstance(wanted, str) and _says_as_much(_text(str(given)), task, evidence):
        return True
    return _coerced(wanted) == _coerced(given)


def _stood_before(value: str, call: Step, evidence: Evidence) -> bool:
    return any(value in leaf for step in evidence.steps if step.step < call.step for leaf in leaves(step.reply))


def _text(given: str) -> str:
    """Return the text of an argument, either the text itself or the text inside its JSON."""
    try:
        document = orjson.loads(given)
    except orjson.JSONDecodeError:
        return given
    return str(document["text"]) if isinstance(document, dict) and "text" in document else given


def _says_as_much(text: str, task: Task, evidence: Evidence) -> bool:
    """Whether a text satisfies some check of the task."""
    reading = Reading(evidence.zone, evidence.now, evidence.ids)
    return any(reads_text(m) and without_bind(m).fits(text, reading) for m in _text_matchers(task))


def _text_matchers(task: Task) -> Iterator[Matcher]:
    for check in all_checks(task):
        yield from final_conditions(check).values()


def _coerced(value: Any) -> str:
    """Normalize a value for comparison: `"5"` equals 5 and 5.0, and a text is reduced to its words."""
    text = str(value)
    try:
        return format(float(text), "g") if not isinstance(value, bool) else text
    except ValueError:
        return without_punctuation(text)


def _above(node: OracleCall, by_label: Mapping[str, OracleCall]) -> set[str]:
    """Return the calls of the oracle whose replies a call uses, directly or indirectly.

    Calls that it merely follows are excluded, because they leave no trace in its arguments.
    """
    result: set[str] = set()
    wanted = [node]
    while wanted:
        call = wanted.pop()
        fresh = references(call.model_copy(update={"after": ()})) - result
        result |= fresh
        wanted += [by_label[label] for label in fresh if label in by_label]
    return result


def _ancestors(calls: Sequence[Step], instruction: str) -> dict[int, list[Step]]:
    """Return for each call those it depends on: their replies were the first to contain a value of its arguments."""
    dependencies: dict[int, list[Step]] = {}
    first: dict[str, Step] = {}
    for call in calls:
        given = [v for v in leaves(call.arguments) if len(v) >= _TAKEN and v not in instruction]
        above: dict[int, Step] = {}
        for value in given:
            source = next((step for text, step in first.items() if value in text), None)
            if source is not None:
                above[source.step] = source
                above |= {step.step: step for step in dependencies[source.step]}
        dependencies[call.step] = list(above.values())
        for text in leaves(call.reply):
            first.setdefault(text, call)
    return dependencies
