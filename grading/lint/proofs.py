"""Properties of a grader beyond the results of runs: every condition is needed, and every expected value can be learned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import assert_never

from soundstage.grading.checks import Check, UpdatedCheck, answer_matcher, conditions, matchers_of
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
    Span,
    Text,
    TimeIs,
    Words,
    inner_matchers,
)
from soundstage.grading.task import Task, all_checks


def literals(matcher: Matcher) -> list[tuple[str, ...]]:
    """Return the values that a matcher requires, without times; each as spellings of which one must be known."""
    match matcher:
        case Bind(inner):
            return literals(inner)
        case Items(kind, inner):
            return [] if kind == "lacks" else [x for m in inner for x in literals(m)]
        case AnyOf(inner):
            spellings = tuple(p for m in inner for x in literals(m) for p in x)
            return [spellings] if spellings else []
        case Equal(value):
            known = isinstance(value, str | int) and not isinstance(value, bool) and not str(value).startswith("$")
            return [(str(value),)] if known else []
        case Text(value):
            return [(value,)]
        case NumberIs(value):
            return [] if str(value).startswith("$") else [(str(value),)]
        case Says(slots):
            words = [slot.phrases for slot in slots if isinstance(slot, Words) and not slot.absent]
            counts = [(str(s.value),) for s in slots if isinstance(s, NumberIs)]
            return [phrases for phrases in [*words, *counts] if not any(p.startswith("$") for p in phrases)]
        case TimeIs() | Ref() | Pattern() | Not() | Anything():
            return []
    assert_never(matcher)


def times_demanded(matcher: Matcher) -> list[str]:
    """Return the times that a matcher requires, as written."""
    match matcher:
        case TimeIs(spans):
            return [w for span in spans for w in dict.fromkeys((span.start, span.end)) if not w.startswith("$")]
        case Says(slots):
            return [w for slot in slots if isinstance(slot, TimeIs) for w in times_demanded(slot)]
        case Items(kind="lacks"):
            return []
        case Bind() | Items() | AnyOf():
            return [time for inner in inner_matchers(matcher) for time in times_demanded(inner)]
        case Equal() | Text() | NumberIs() | Ref() | Pattern() | Not() | Anything():
            return []
    assert_never(matcher)


def lengths(task: Task) -> set[int]:
    """Return the durations in seconds by which checks relate one time to another."""
    matchers = [matcher for check in all_checks(task) for matcher in matchers_of(check)]
    return {0} | {length for matcher in matchers for length in _lengths_in(matcher)}


def _lengths_in(matcher: Matcher) -> set[int]:
    match matcher:
        case TimeIs(by_s=by_s):
            return {by_s}
        case Bind() | Items() | AnyOf():
            return {length for inner in inner_matchers(matcher) for length in _lengths_in(inner)}
        case Equal() | Text() | NumberIs() | Ref() | Pattern() | Says() | Not() | Anything():
            return set()
    assert_never(matcher)


def weakened(task: Task) -> Iterator[tuple[str, Task]]:
    """Yield the task with one condition removed: a matcher, a slot of a text, a field to preserve."""
    for i, check in enumerate(task.checks):
        others = (*task.checks[:i], *task.checks[i + 1 :])
        if len(matchers_of(check)) == 1 and others:
            yield f"{check.id}: the whole check", task.model_copy(update={"checks": others})
        for name, weaker in _weaker(check):
            checks = (*task.checks[:i], weaker, *task.checks[i + 1 :])
            yield f"{check.id}: {name}", task.model_copy(update={"checks": checks})


def _weaker(check: Check) -> Iterator[tuple[str, Check]]:
    """Yield weaker forms of a check, each with the name of the removed condition."""
    alone = len(matchers_of(check)) == 1
    for member, group in conditions(check).items():
        for path, matcher in group.items():
            if not alone and isinstance(matcher, Bind):
                anything = Bind(Anything(matcher.matcher), matcher.name)
                yield f"{path} fits anything", check.model_copy(update={member: {**group, path: anything}})
            elif not alone:
                rest = {p: m for p, m in group.items() if p != path}
                yield f"{path} is not looked at", check.model_copy(update={member: rest})
            for name, fewer in _fewer_slots(matcher):
                yield f"{path}: {name}", check.model_copy(update={member: {**group, path: fewer}})
    if (answer := answer_matcher(check)) is not None:
        for name, fewer in _fewer_slots(answer):
            yield f"answer: {name}", check.model_copy(update={"answer": fewer})
    keeps = check.keeps if isinstance(check, UpdatedCheck) else ()
    for path in keeps:
        yield f"{path} need not be kept", check.model_copy(update={"keeps": tuple(p for p in keeps if p != path)})
    if check.after:
        yield "need not come after", check.model_copy(update={"after": ()})


def _fewer_slots(matcher: Matcher) -> Iterator[tuple[str, Matcher]]:
    """Yield weaker forms of a matcher: a slot less, twice the tolerance, a longer span."""
    match matcher:
        case Bind(inner, name):
            yield from ((how, Bind(weaker, name)) for how, weaker in _fewer_slots(inner))
        case Says(slots):
            for i, slot in enumerate(slots):
                if len(slots) > 1:
                    yield f"without slot {i + 1}", Says((*slots[:i], *slots[i + 1 :]))
                if isinstance(slot, TimeIs | NumberIs):
                    for how, wider in _wider(slot):
                        yield f"slot {i + 1} {how}", Says((*slots[:i], wider, *slots[i + 1 :]))
        case TimeIs() | NumberIs():
            yield from _wider(matcher)
        case Equal() | Text() | Ref() | Items() | Pattern() | AnyOf() | Not() | Anything():
            pass
        case _:
            assert_never(matcher)


def _wider(slot: TimeIs | NumberIs) -> Iterator[tuple[str, TimeIs | NumberIs]]:
    match slot:
        case NumberIs(tolerance=tolerance) if tolerance:
            yield "with twice the tolerance", replace(slot, tolerance=2 * tolerance)
        case TimeIs(tolerance_s=tolerance) if tolerance:
            yield "with twice the tolerance", replace(slot, tolerance_s=2 * tolerance)
        case TimeIs(spans=spans) if any(span.start != span.end for span in spans):
            yield "with spans that reach further", replace(slot, spans=tuple(_further(span) for span in spans))


_FURTHER = timedelta(minutes=30)


def _further(span: Span) -> Span:
    """Extend a span by half an hour at either end; a span of days by a day."""
    if span.start == span.end or span.start.startswith("$") or span.end.startswith("$"):
        return span
    by = timedelta(days=1) if len(span.start) == 10 else _FURTHER
    start, end = datetime.fromisoformat(span.start) - by, datetime.fromisoformat(span.end) + by
    if len(span.start) == 10:
        return Span(start.date().isoformat(), end.date().isoformat())
    return Span(start.isoformat(sep=" "), end.isoformat(sep=" "))
