"""Findings about a task that need no run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import assert_never

from soundstage.grading.checks import answer_matcher, conditions, matchers_of
from soundstage.grading.matchers import (
    AnyOf,
    Anything,
    Bind,
    Equal,
    Items,
    Matcher,
    Not,
    NumberIs,
    Pattern,
    Ref,
    Says,
    Text,
    TimeIs,
    Words,
    inner_matchers,
    without_bind,
)
from soundstage.grading.task import Task, all_checks
from soundstage.grading.texts.normalize import normalize, says
from soundstage.grading.texts.numbers import numbers

_EPOCH = re.compile(r"1[6-9]\d{8}(?:\d{3})?")
_MOST_PATTERNS = 2
EXPLICIT = "tool_explicit"
"""The variant that may name tools, because its persona knows them."""


def static_findings(task: Task, tools: Mapping[str, frozenset[str]]) -> list[str]:
    """Return the problems of a task's text; `tools` has each app's tools."""
    result: list[str] = []
    if not task.oracle and task.kind == "operate":
        result.append("oracle: an operating task needs one")
    for call in task.oracle:
        if call.tool not in tools.get(call.app, frozenset()):
            result.append(f"oracle.{call.as_}: {call.app} has no tool {call.tool!r}")
    result += _not_listed(task, tools)
    if task.limits.calls < 2 * len(task.oracle):
        result.append(f"limits.calls: {task.limits.calls} is less than twice the oracle's {len(task.oracle)} calls")
    if task.kind in ("clarify", "decline") and task.oracle_outcome != _OUTCOMES[task.kind]:
        result.append(f"oracle_outcome: a task of kind {task.kind} ends with {_OUTCOMES[task.kind]}")
    if task.kind in ("clarify", "decline") and task.twin is None:
        result.append(
            "twin: name a task that differs from this one in little and is to be done, so that refusing everything is seen"
        )
    if task.kind == "ask" and not any(answer_matcher(c) is not None for c in all_checks(task)):
        result.append("checks: a task of kind ask needs a check on the answer")
    for name, text in _instructions(task):
        if name.endswith(EXPLICIT):
            continue
        for app in task.apps:
            result += [f"{name}: names the tool {t}" for t in sorted(tools[app]) if "_" in t and t in text]
    result += _told_beforehand(task)
    for i, allowed in enumerate(task.nothing_else.may):
        if not (allowed.row or allowed.fields or allowed.op or allowed.where or allowed.at_most):
            result.append(
                f"nothing_else.may.{i}: allows every change of every {allowed.entity}; name a row, fields, an op or a number"
            )
    patterns = sum(_patterns(m) for check in all_checks(task) for m in matchers_of(check))
    if patterns > _MOST_PATTERNS:
        result.append(f"checks: `matches` is the last resort and is used {patterns} times")
    return result


def _not_listed(task: Task, tools: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Yield tools that are required, or used by an equivalent, but not listed by any session of the task."""
    apps = set(task.apps) if isinstance(task.tools, str) else {call.app for call in task.oracle}
    wanted = [("requires.tools", name) for name in task.requires.tools]
    for one in task.equivalents:
        calls = [call.call for call in one.add] + [str(put["call"]) for put in one.replace.values() if "call" in put]
        wanted += [(f"equivalents, {one.name}", name) for name in calls]
    for where, name in wanted:
        app, _, tool = name.partition("/")
        if app not in apps or tool not in tools.get(app, frozenset()):
            yield f"{where}: the session lists no tool {name!r}; its apps are {', '.join(sorted(apps))}"


# People refer to things that no tool lists, such as a to-do, by link, but never by a bare id.
_LINK = re.compile(r"https?://[!-~]+")
_LINKED = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<!\d)\d{17,20}(?!\d)")  # a UUID, a snowflake
_OUTCOMES = {"clarify": "asked", "decline": "declined"}


def _linked(text: str) -> list[str]:
    """Return the ids in a text's links."""
    return [i for link in _LINK.findall(text) for i in _LINKED.findall(link)]


def world_findings(task: Task, ids: frozenset[str], people: Mapping[str, frozenset[str]]) -> list[str]:
    """Return the problems of a task in its world: literal ids and people instead of names, dead links, ambiguous people.

    `ids` are those of rows, `people` each person's names and addresses by key.
    """
    result: list[str] = []
    ids = frozenset(i for i in ids if not i.startswith("/"))  # people do mention the paths of files
    for check in all_checks(task):
        of_rows = conditions(check)
        for path, matcher in {**of_rows.get("from_", {}), **of_rows.get("to", {}), **of_rows.get("where", {})}.items():
            for value in _equals(matcher):
                if str(value) in ids:
                    result.append(
                        f"checks.{check.id}: {path}: {value!r} is the id of a row; give it a name and say {{ref: name}}"
                    )
                elif _EPOCH.fullmatch(str(value)):
                    result.append(f"checks.{check.id}: {path}: {value!r} is a time; write {{time: …}}")
                elif (who := next((p for p, known in people.items() if str(value) in known), None)) is not None:
                    result.append(f"checks.{check.id}: {path}: {value!r} is a person; say {{ref: {who}}}")
    for name, text in _instructions(task):
        prose = _LINK.sub(" ", text)
        result += [f"{name}: holds the id {i}" for i in sorted(ids) if len(i) >= 8 and _is_id(i) and i in prose]
        result += [f"{name}: the link to {i} leads to no row" for i in _linked(text) if not any(i in k for k in ids)]
    if task.kind != "clarify":
        result += _ambiguous(task, people)
    return result


def _is_id(text: str) -> bool:
    """Whether an id is recognizable as such: it contains a digit."""
    return any(c.isdigit() for c in text)


def _ambiguous(task: Task, people: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Yield people that the instruction refers to by a name that another person shares."""
    meant = {name for check in all_checks(task) for m in matchers_of(check) for name in _refs(m)} & people.keys()
    text = normalize(task.instruction)
    for person in sorted(meant):
        if any(" " in n and says(text, n) for n in people[person]):
            continue
        for word in sorted({w for n in people[person] if "@" not in n for w in normalize(n).split()}):
            others = [
                p for p, names in people.items() if p != person and any(word in normalize(n).split() for n in names)
            ]
            if says(text, word) and others and not _told_apart(text, people, person, others):
                candidates = " or ".join([person, *others])
                yield f"instruction: {word!r} may be {candidates}; say the whole name, or let it be a task of kind clarify"


def _told_apart(text: str, people: Mapping[str, frozenset[str]], person: str, others: list[str]) -> bool:
    """Whether the instruction uses the full names of all people who share the word."""
    return all(any(" " in n and says(text, n) for n in people[p]) for p in others)


def _refs(matcher: Matcher) -> set[str]:
    """Return the names that a matcher refers to, without excluded ones."""
    match matcher:
        case Ref(name):
            return {name}
        case Bind() | Items() | AnyOf():
            return {name for inner in inner_matchers(matcher) for name in _refs(inner)}
        case Not() | Equal() | Text() | NumberIs() | TimeIs() | Pattern() | Says() | Anything():
            return set()
    assert_never(matcher)


def _equals(matcher: Matcher) -> list[str | int]:
    match matcher:
        case Equal(value) | Text(value):
            return [value] if isinstance(value, str | int) and not isinstance(value, bool) else []
        case Bind() | Not() | Items() | AnyOf():
            return [value for inner in inner_matchers(matcher) for value in _equals(inner)]
        case NumberIs() | TimeIs() | Ref() | Pattern() | Says() | Anything():
            return []
    assert_never(matcher)


def _instructions(task: Task) -> list[tuple[str, str]]:
    return [("instruction", task.instruction), *((f"variants.{n}", t) for n, t in task.variants.items())]


def _told_beforehand(task: Task) -> Iterator[str]:
    """Yield expected parts of an answer that the instruction already contains, so that stating them proves nothing."""
    for name, written in _instructions(task):
        text = normalize(written)
        where = "the instruction itself" if name == "instruction" else name
        for check in all_checks(task):
            answer = answer_matcher(check)
            matcher = None if answer is None else without_bind(answer)
            for slot in matcher.slots if isinstance(matcher, Says) else ():
                parts: list[str] = []
                if isinstance(slot, Words) and not slot.absent:
                    parts = [p for p in slot.phrases if says(text, p)]
                elif isinstance(slot, NumberIs) and says_number(text, normalize(str(slot.value))):
                    parts = [str(slot.value)]
                if parts:
                    yield f"checks.{check.id}: {where} says {parts[0]!r}"


def _patterns(matcher: Matcher) -> int:
    """Count the regular expressions in a matcher."""
    return int(isinstance(matcher, Pattern)) + sum(map(_patterns, inner_matchers(matcher)))


def says_number(text: str, number: str) -> bool:
    """Whether a text names a number, in any notation."""
    wanted = next(iter(numbers(number)), None)
    return wanted is not None and any(abs(n.value - wanted.value) < 1e-9 for n in numbers(text))
