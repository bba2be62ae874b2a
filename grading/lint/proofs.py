"""Properties of a grader beyond the results of runs: every condition is needed, and every expected value can be learned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from soundstage.grading.lint.static import matchers_of
from soundstage.grading.matchers import AnyOf, Bind, Equal, Items, Matcher, NumberIs, Says, Span, Text, TimeIs, Words
from soundstage.grading.task import Check, Task, all_checks


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
        case Equal(value) if isinstance(value, str | int) and not isinstance(value, bool):
            return [] if str(value).startswith("$") else [(str(value),)]
        case Text(value):
            return [(value,)]
        case NumberIs(value) if not str(value).startswith("$"):
            return [(str(value),)]
        case Says(slots):
            words = [slot.phrases for slot in slots if isinstance(slot, Words) and not slot.absent]
            counts = [(str(s.value),) for s in slots if isinstance(s, NumberIs)]
            return [phrases for phrases in [*words, *counts] if not any(p.startswith("$") for p in phrases)]
    return []


def times_demanded(matcher: Matcher) -> list[str]:
    """Return the times that a matcher requires, as written."""
    match matcher:
        case Bind(inner):
            return times_demanded(inner)
        case Items(kind, inner):
            return [] if kind == "lacks" else [x for m in inner for x in times_demanded(m)]
        case AnyOf(inner):
            return [x for m in inner for x in times_demanded(m)]
        case TimeIs(spans):
            return [w for span in spans for w in dict.fromkeys((span.start, span.end)) if not w.startswith("$")]
        case Says(slots):
            return [w for slot in slots if isinstance(slot, TimeIs) for w in times_demanded(slot)]
    return []


def lengths(task: Task) -> set[int]:
    """Return the durations in seconds by which checks relate one time to another."""
    result = {0}

    def gather(matcher: Matcher) -> None:
        match matcher:
            case Bind(inner):
                gather(inner)
            case Items(_, inner) | AnyOf(inner):
                for each in inner:
                    gather(each)
            case TimeIs(by_s=by_s):
                result.add(by_s)

    for check in all_checks(task):
        for matcher in matchers_of(check):
            gather(matcher)
    return result


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
    for member in ("to", "from_", "where"):
        conditions: dict[str, Matcher] = getattr(check, member)
        for path, matcher in conditions.items():
            alone = len(matchers_of(check)) == 1
            if not alone and isinstance(matcher, Bind):
                yield (
                    f"{path} fits anything",
                    check.model_copy(
                        update={member: {**conditions, path: Bind(_Anything(matcher.matcher), matcher.name)}}
                    ),
                )
            elif not alone:
                yield (
                    f"{path} is not looked at",
                    check.model_copy(update={member: {p: m for p, m in conditions.items() if p != path}}),
                )
            yield from (
                (f"{path}: {name}", check.model_copy(update={member: {**conditions, path: fewer}}))
                for name, fewer in _fewer_slots(matcher)
            )
    if check.answer is not None:
        yield from (
            (f"answer: {name}", check.model_copy(update={"answer": fewer}))
            for name, fewer in _fewer_slots(check.answer)
        )
    for path in check.keeps or ():
        kept = tuple(p for p in check.keeps or () if p != path)
        yield f"{path} need not be kept", check.model_copy(update={"keeps": kept})
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


@dataclass(frozen=True, slots=True)
class _Anything:
    """A replacement for a matcher that accepts any value and binds as before."""

    matcher: Matcher

    def fits(self, value: Any, reading: Any) -> bool:
        return value is not None

    def describe(self, reading: Any) -> str:
        return "anything"

    def bound_value(self, value: Any, reading: Any) -> Any:
        return self.matcher.bound_value(value, reading)
