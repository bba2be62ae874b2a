"""What a task's grader is tried with: runs that must pass, runs that must earn nothing, runs that must be caught.

Scripts are made here from the task alone; `soundstage.runs.lint` plays them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from soundstage.grading.matchers import (
    AnyOf,
    Bind,
    Equal,
    Items,
    Matcher,
    Not,
    NumberIs,
    Says,
    Text,
    Words,
    unbound,
)
from soundstage.grading.oracle import Script, dropped, near_miss, oracle, references, repeated
from soundstage.grading.task import Check, OracleCall, Task, all_checks
from soundstage.grading.texts.numbers import numbers
from soundstage.grading.texts.plain import plain, says

Expected = Literal["success", "nothing", "caught"]
"""What a run must come to: score 1 and success; score 0; no success."""

Effect = Literal["read", "create", "update", "delete", "other"]
Effects = Callable[[str, str], str]
"""App and tool → what the tool does: read, create, update, delete …"""

STOCK_ANSWERS = (
    "Done.", "Done!", "I have done that.", "All set.", "OK", "I'm not able to do that.", "Sorry, something went wrong.",
    "好的，已完成。", "已经处理好了。", "无法完成。", "没有找到相关信息。", "Could you tell me more?",
)  # fmt: skip
ORDERS = 20
SEEDS = (0, 1, 7)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One run of the lint: who made it, the script, what it must come to, and the checks that must fail, if that is said."""

    operator: str
    script: Script
    expected: Expected
    fails: tuple[str, ...] = ()
    seed: int = 0


def mutants(task: Task, effect: Effects) -> Iterator[Mutant]:
    """Every run that the task's grader is tried with."""
    yield from equivalents(task, effect)
    yield from idle_runs(task, effect)
    yield from wrong_runs(task, effect)


def equivalents(task: Task, effect: Effects) -> Iterator[Mutant]:
    """Runs that solve the task as well as the oracle does."""
    whole = oracle(task)
    for seed in SEEDS:
        yield Mutant("oracle", replace(whole, name=f"oracle, seed {seed}"), "success", seed=seed)
    for number, order in enumerate(_orders(task.oracle)):
        yield Mutant("reorder", Script(f"order {number + 1}", order, whole.answer, whole.outcome), "success")
    reads = [c for c in whole.calls if effect(c.app, c.tool) == "read"]
    if reads:
        again = tuple(call.model_copy(update={"as_": f"{call.as_}_again"}) for call in reads)
        yield Mutant(
            "extra reads", replace(whole, name="reads twice", calls=_after_each(whole.calls, again)), "success"
        )
    for call in whole.calls:
        broken = call.model_copy(
            update={"as_": f"{call.as_}_broken", "with_": {"no_such_argument": [None]}, "each": None}
        )
        calls = [c for each in whole.calls for c in ((broken, each) if each is call else (each,))]
        yield Mutant("failed calls", replace(whole, name=f"{call.as_} refused first", calls=tuple(calls)), "success")


def idle_runs(task: Task, effect: Effects) -> Iterator[Mutant]:
    """Runs that do nothing, or only look: they earn nothing."""
    yield Mutant("null", Script("null", (), "", "gave_up"), "nothing")
    for answer in STOCK_ANSWERS:
        yield Mutant("stock answer", Script(f"null: {answer}", (), answer), "nothing")
    whole = oracle(task)
    if task.kind == "operate" and whole.answer:
        yield Mutant("answer only", Script("the oracle's answer, no calls", (), whole.answer), "nothing")
    reads = tuple(c for c in whole.calls if effect(c.app, c.tool) == "read")
    kept = _standing(reads)
    yield Mutant("reads only", Script("reads only", kept, "I have looked at everything."), "nothing")


def wrong_runs(task: Task, effect: Effects) -> Iterator[Mutant]:
    """Runs that look right and are not: no success, and a check says why."""
    whole = oracle(task)
    writing = [c for c in whole.calls if effect(c.app, c.tool) != "read"]
    for call in writing:
        yield Mutant("drop", dropped(whole, call.as_), "caught")
        if effect(call.app, call.tool) == "create":
            yield Mutant("repeat", repeated(whole, call.as_), "caught")
        for name, changed in _shifted(call):
            calls = tuple(changed if c is call else c for c in whole.calls)
            yield Mutant("wrong time", replace(whole, name=f"{call.as_} {name}", calls=calls), "caught")
    if whole.answer and any(c.answer is not None for c in all_checks(task)):
        yield Mutant("wrong answer", replace(whole, name="right deeds, no answer", answer=""), "caught")
        yield Mutant("wrong answer", replace(whole, name="right deeds, stock answer", answer="Done."), "caught")
        for name, answer in _misnumbered(whole.answer):
            yield Mutant("wrong number", replace(whole, name=f"answers {name}", answer=answer), "caught")
    for miss in task.near_misses:
        yield Mutant("hand-written", near_miss(task, miss), "caught", fails=miss.fails)


Swaps = Mapping[str, Mapping[str, str]]
"""What may stand in a call's arguments by mistake: whom or what is meant → the right text → the wrong one."""


def mistaken(task: Task, made: Sequence[Made], effect: Effects, swaps: Mapping[str, Swaps]) -> Iterator[Mutant]:
    """The oracle's calls as they were made, with another person or place in one writing call. `swaps` is by operator."""
    whole = oracle(task)
    calls = [
        OracleCall.model_validate({"as": f"call_{i}", "call": m.call, "with": m.arguments}) for i, m in enumerate(made)
    ]
    for operator, things in swaps.items():
        for i, call in enumerate(calls):
            if effect(call.app, call.tool) == "read":
                continue
            for thing, texts in things.items():
                wrong = _swapped(call.with_, texts)
                if wrong != call.with_:
                    script = (*calls[:i], call.model_copy(update={"with_": wrong}), *calls[i + 1 :])
                    name = f"{call.tool} in call {i + 1} for another than {thing}"
                    yield Mutant(operator, Script(name, script, whole.answer, whole.outcome), "caught")


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was made: `app/tool`, and its arguments with everything filled in."""

    call: str
    arguments: dict[str, Any]


def _swapped(value: Any, texts: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {k: _swapped(v, texts) for k, v in value.items()}
    if isinstance(value, list):
        return [_swapped(v, texts) for v in value]
    if isinstance(value, str):
        for right in sorted(texts, key=len, reverse=True):
            if right in value:
                return value.replace(right, texts[right])
    return value


def _orders(calls: tuple[OracleCall, ...]) -> Iterator[tuple[OracleCall, ...]]:
    """Other orders in which the calls can be made: what a call takes from an earlier one stays before it."""
    chance = random.Random(0)  # noqa: S311
    needs = {call.as_: references(call) for call in calls}
    seen = {tuple(call.as_ for call in calls)}
    for _ in range(ORDERS):
        left = list(calls)
        order: list[OracleCall] = []
        while left:
            ready = [c for c in left if needs[c.as_] <= {done.as_ for done in order}]
            order.append(chance.choice(ready))
            left.remove(order[-1])
        if (names := tuple(c.as_ for c in order)) not in seen:
            seen.add(names)
            yield tuple(order)


def _after_each(calls: tuple[OracleCall, ...], extra: tuple[OracleCall, ...]) -> tuple[OracleCall, ...]:
    """The calls, with each extra one as soon as what it takes is there, and all of them once more at the end."""
    made: list[OracleCall] = []
    waiting = list(extra)
    for call in calls:
        made.append(call)
        done = {c.as_ for c in made}
        for each in [w for w in waiting if references(w) <= done]:
            made.append(each)
            waiting.remove(each)
    return (*made, *(each.model_copy(update={"as_": f"{each.as_}_at_last"}) for each in extra))


def _standing(calls: tuple[OracleCall, ...]) -> tuple[OracleCall, ...]:
    """Those of the calls that need none but one another."""
    made: list[OracleCall] = []
    for call in calls:
        if references(call) <= {c.as_ for c in made}:
            made.append(call)
    return tuple(made)


_EPOCH = re.compile(r"1[6-9]\d{8}(?:\d{3})?")
_ISO = re.compile(r"(20\d{2}-\d{2}-\d{2}T)(\d{2})(:\d{2})")
_SHIFTS = {
    "an hour later": 3600,
    "a day later": 86_400,
    "a day earlier": -86_400,
    "a week later": 604_800,
    "twelve hours off": 43_200,
}


def _shifted(call: OracleCall) -> Iterator[tuple[str, OracleCall]]:
    """The call with every moment in its arguments moved by the same length."""
    if call.tool and not _has_moment(call.with_):
        return
    for name, seconds in _SHIFTS.items():
        yield name, call.model_copy(update={"with_": _moved(call.with_, seconds)})


def _has_moment(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_moment(v) for v in value.values())
    if isinstance(value, list):
        return any(_has_moment(v) for v in value)
    return _is_epoch(value)


def _is_epoch(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, str | int) and _EPOCH.fullmatch(str(value)) is not None


def _moved(value: Any, seconds: int) -> Any:
    if isinstance(value, dict):
        return {k: _moved(v, seconds) for k, v in value.items()}
    if isinstance(value, list):
        return [_moved(v, seconds) for v in value]
    if not _is_epoch(value):
        return value
    shifted = int(value) + seconds * (1000 if len(str(value)) == 13 else 1)
    return str(shifted) if isinstance(value, str) else shifted


def _misnumbered(answer: str) -> Iterator[tuple[str, str]]:
    """The answer with each of its numbers one too high, ten times as high."""
    for found in re.finditer(r"(?<![\d.,:])\d+(?![\d:]|[.,]\d)", answer):
        for name, value in (("one too many", int(found[0]) + 1), ("ten times as many", int(found[0]) * 10)):
            yield f"{found[0]} as {name}", answer[: found.start()] + str(value) + answer[found.end() :]


# -- what can be told without running anything -----------------------------------------------------------------------


def static_findings(task: Task, tools: Mapping[str, frozenset[str]]) -> list[str]:
    """What is wrong with a task as it is written. `tools` has each app's tools."""
    found: list[str] = []
    if not task.oracle and task.kind == "operate":
        found.append("oracle: an operating task needs one")
    for call in task.oracle:
        if call.tool not in tools.get(call.app, frozenset()):
            found.append(f"oracle.{call.as_}: {call.app} has no tool {call.tool!r}")
    if task.limits.calls < 2 * len(task.oracle):
        found.append(f"limits.calls: {task.limits.calls} is less than twice the oracle's {len(task.oracle)} calls")
    everywhere = " ".join([task.instruction, *task.variants.values()])
    for app in task.apps:
        found += [
            f"instruction: names the tool {name}" for name in sorted(tools[app]) if "_" in name and name in everywhere
        ]
    for check in all_checks(task):
        for slot in _answer_slots(check):
            told = [p for p in slot.phrases if says(plain(task.instruction), p)] if not slot.absent else []
            if told:
                found.append(f"checks.{check.id}: the instruction itself says {told[0]!r}")
    patterns = sum(_patterns(m) for check in all_checks(task) for m in matchers_of(check))
    if patterns > 2:
        found.append(f"checks: `matches` is the last resort and is used {patterns} times")
    return found


def _answer_slots(check: Check) -> list[Words]:
    matcher = None if check.answer is None else unbound(check.answer)
    return [slot for slot in matcher.slots if isinstance(slot, Words)] if isinstance(matcher, Says) else []


def matchers_of(check: Check) -> list[Matcher]:
    """Every matcher of a check, those inside others not counted."""
    answer = [] if check.answer is None else [check.answer]
    return [*check.to.values(), *check.from_.values(), *check.where.values(), *answer]


def _patterns(matcher: Matcher) -> int:
    match matcher:
        case Bind(inner) | Not(inner):
            return _patterns(inner)
        case Items(_, inner) | AnyOf(inner):
            return sum(_patterns(m) for m in inner)
    return int(type(matcher).__name__ == "Pattern")


def literals(matcher: Matcher) -> list[tuple[str, ...]]:
    """The values that a matcher demands, each as the spellings of which one must be known. Moments are left out: they are worked
    out more often than read.
    """
    match matcher:
        case Bind(inner):
            return literals(inner)
        case Items(kind, inner):
            return [] if kind == "lacks" else [x for m in inner for x in literals(m)]
        case AnyOf(inner):
            return [tuple(p for m in inner for x in literals(m) for p in x)]
        case Equal(value) if isinstance(value, str | int) and not isinstance(value, bool):
            return [] if str(value).startswith("$") else [(str(value),)]
        case Text(value):
            return [(value,)]
        case NumberIs(value) if not str(value).startswith("$"):
            return [(str(value),)]
        case Says(slots):
            return [slot.phrases for slot in slots if isinstance(slot, Words) and not slot.absent]
    return []


def says_number(text: str, number: str) -> bool:
    """Whether a text names a number, however it is written."""
    wanted = next(iter(numbers(number)), None)
    return wanted is not None and any(abs(n.value - wanted.value) < 1e-9 for n in numbers(text))


def weakened(task: Task) -> Iterator[tuple[str, Task]]:
    """The task with one condition less, for each of its conditions: a matcher, a slot of a text, a field to keep."""
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


def _fewer_slots(matcher: Matcher) -> Iterator[tuple[str, Matcher]]:
    if isinstance(matcher, Says) and len(matcher.slots) > 1:
        for i in range(len(matcher.slots)):
            yield f"without slot {i + 1}", Says((*matcher.slots[:i], *matcher.slots[i + 1 :]))


@dataclass(frozen=True, slots=True)
class _Anything:
    """In place of a matcher: any value fits, and is found as before."""

    matcher: Matcher

    def fits(self, value: Any, reading: Any) -> bool:
        return value is not None

    def wanted(self, reading: Any) -> str:
        return "anything"

    def found(self, value: Any, reading: Any) -> Any:
        return self.matcher.found(value, reading)
