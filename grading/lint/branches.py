"""The alternatives that a task allows; for each of them, some run that solves the task must use it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from soundstage.grading.checks import Check, alternatives, answer_matcher, conditions
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
)
from soundstage.grading.task import Task


def branches(task: Task) -> Iterator[tuple[str, Task]]:
    """Yield variants of the task with a single alternative, for each alternative of checks, values and times.

    A run that solves both the task and such a variant has used that alternative.
    """
    for i, check in enumerate(task.checks):
        for name, alone in _alone(check):
            checks = (*task.checks[:i], alone, *task.checks[i + 1 :])
            yield f"{check.id}: {name}", task.model_copy(update={"checks": checks})


def _alone(check: Check) -> Iterator[tuple[str, Check]]:
    for j, alternative in enumerate(alternatives(check)):
        if len(alternatives(check)) > 1:
            name = f"alternative {j + 1} ({', '.join(inner.id for inner in alternative)})"
            yield name, check.model_copy(update={"any_of": (alternative,)})
        for n, inner in enumerate(alternative):
            for name, alone in _alone(inner):
                fewer = (*alternative[:n], alone, *alternative[n + 1 :])
                yield f"{inner.id}: {name}", check.model_copy(update={"any_of": (fewer,)})
    for member, group in conditions(check).items():
        for path, matcher in group.items():
            for name, only in _one_of(matcher):
                yield f"{path}: {name}", check.model_copy(update={member: {**group, path: only}})
    if (answer := answer_matcher(check)) is not None:
        for name, only in _one_of(answer):
            yield f"answer: {name}", check.model_copy(update={"answer": only})


def _one_of(matcher: Matcher) -> Iterator[tuple[str, Matcher]]:
    """Yield a matcher with one of its alternatives alone; the phrases of a slot are synonyms, not alternatives."""
    match matcher:
        case Bind(inner, name):
            yield from ((how, Bind(only, name)) for how, only in _one_of(inner))
        case AnyOf(inner):
            for k, one in enumerate(inner, 1):
                if len(inner) > 1:
                    yield f"alternative {k}", one
                yield from ((f"alternative {k}: {how}", only) for how, only in _one_of(one))
        case Items(kind, inner):
            for k, one in enumerate(inner if kind != "lacks" else ()):
                for how, only in _one_of(one):
                    yield f"item {k + 1}: {how}", replace(matcher, matchers=(*inner[:k], only, *inner[k + 1 :]))
        case TimeIs(spans=spans):
            if len(spans) > 1:
                yield from ((f"time {k}", replace(matcher, spans=(span,))) for k, span in enumerate(spans, 1))
        case Says(slots):
            for k, slot in enumerate(slots):
                if isinstance(slot, TimeIs) and len(slot.spans) > 1:
                    for n, span in enumerate(slot.spans, 1):
                        only = replace(slot, spans=(span,))
                        yield f"slot {k + 1}: time {n}", Says((*slots[:k], only, *slots[k + 1 :]))
        case Equal() | Text() | NumberIs() | Ref() | Pattern() | Not() | Anything():
            pass
        case _:
            assert_never(matcher)
