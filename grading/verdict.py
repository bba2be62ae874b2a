"""The verdict of a trial: which checks hold and why, the unwanted changes, and the score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never

from soundstage.contexts.engine.schema import Object
from soundstage.grading.breaches import Breach, Claims, breaches, net_changes
from soundstage.grading.checks import (
    AnswerCheck,
    AnyOfCheck,
    Check,
    CreatedCheck,
    DeletedCheck,
    OutcomeCheck,
    StateCheck,
    UpdatedCheck,
)
from soundstage.grading.evidence import Evidence, History
from soundstage.grading.grounded import ungrounded
from soundstage.grading.leaves import below, changed_leaves
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
    Reading,
    Ref,
    Says,
    Text,
    TimeIs,
    all_fit,
    exceeds_limit,
    format_time,
    holds_for,
    judged_value,
    without_bind,
)
from soundstage.grading.task import MidTaskRequest, NothingElse, Task
from soundstage.grading.texts.limit import TOO_LONG, is_too_long


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """The result of a check; `part` is the share of its satisfied conditions, `step` the one that satisfied or broke it."""

    id: str
    passed: bool
    part: float
    why: str
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a trial; `progress` is the weighted share of passed checks, `score` the rest after gates, both 0 to 1."""

    progress: float
    score: float
    success: bool
    checks: tuple[CheckVerdict, ...]
    breaches: tuple[Breach, ...]

    @property
    def acc(self) -> float:
        """The unweighted mean of the checks: 1 if passed, otherwise the share of satisfied conditions."""
        return sum(1.0 if c.passed else 0.5 if c.part >= 0.5 else 0.0 for c in self.checks) / len(self.checks)

    @property
    def exec_acc(self) -> float:
        """The unweighted share of passed checks."""
        return sum(c.passed for c in self.checks) / len(self.checks)


@dataclass(slots=True)
class _CheckResult:
    check: Check
    passed: bool
    part: float
    why: str
    step: int | None = None
    touched: int | None = None  # the first step that affected it
    claims: Claims = field(default_factory=Claims)


def grade(task: Task, evidence: Evidence) -> Verdict:
    """Judge a trial from its changes and its answer, without a clock, the network or the world."""
    reading = Reading(evidence.zone, evidence.now, evidence.ids)
    checks, gates = _asked_for(task, evidence)
    judged = [_judge_in_order(check, evidence, reading) for check in checks]
    by_id: dict[str, _CheckResult] = {}
    for one in judged:
        _require(one, by_id)
        by_id[one.check.id] = one
    claims = Claims()
    for one in judged:
        claims.add(one.claims)
    breached = breaches(gates, evidence, reading, claims)
    total = sum(c.weight for c in checks)
    progress = sum(one.check.weight for one in judged if one.passed) / total
    gate = 0.0 if any(b.never for b in breached) else gates.cost if breached else 1.0
    return Verdict(
        progress=progress,
        score=progress * gate,
        success=not breached and all(one.passed for one in judged),
        checks=tuple(CheckVerdict(j.check.id, j.passed, j.part, j.why, j.step) for j in judged),
        breaches=tuple(breached),
    )


def ungraded(task: Task, why: str) -> Verdict:
    """Return the verdict of a trial that could not be graded: no check passes, and each has the reason."""
    checks = tuple(CheckVerdict(check.id, False, 0.0, why) for check in task.checks)
    return Verdict(progress=0.0, score=0.0, success=False, checks=checks, breaches=())


def bindings(task: Task, evidence: Evidence) -> dict[str, Any]:
    """Return the values that a trial's checks bound, by name."""
    reading = Reading(evidence.zone, evidence.now, evidence.ids)
    for check in _asked_for(task, evidence)[0]:
        _judge_in_order(check, evidence, reading)
    return reading.binds


def relevant_changes(task: Task, evidence: Evidence) -> list[str]:
    """Return a trial's relevant changes; see `net_changes`."""
    reading = Reading(evidence.zone, evidence.now, evidence.ids, bindings(task, evidence))
    return net_changes(_asked_for(task, evidence)[1], evidence, reading)


def _asked_for(task: Task, evidence: Evidence) -> tuple[list[Check], NothingElse]:
    """Return the checks and rules of this trial, including those of delivered mid-task requests."""
    came = [wish for wish in task.wishes if was_delivered(wish, evidence)]
    replaced = {check for wish in came for check in wish.replaces}
    checks = [c for c in task.checks if c.id not in replaced] + [c for wish in came for c in wish.checks]
    may = (*task.nothing_else.may, *(allowed for wish in came for allowed in wish.may))
    return checks, task.nothing_else.model_copy(update={"may": may})


def was_delivered(wish: MidTaskRequest, evidence: Evidence) -> bool:
    """Whether a mid-task request was delivered to the agent."""
    arguments = (step.arguments for step in evidence.steps if step.kind == "wish")
    return any(isinstance(given, Mapping) and given.get("wish") == wish.wish for given in arguments)


def _require(one: _CheckResult, by_id: Mapping[str, _CheckResult]) -> None:
    """Apply a check's conditions on earlier ones: that they pass, or that they became true before it."""
    if not one.passed:
        return
    for other in one.check.requires_check:
        if other in by_id and not by_id[other].passed:
            one.passed, one.why = False, f"counts only where {other} passes"
            return
    for other in one.check.after:
        if other not in by_id:  # replaced by a mid-task request
            continue
        earlier = by_id[other].step or by_id[other].touched
        if earlier is not None and one.step is not None and one.step < earlier:
            one.passed, one.why = False, f"was done in step {one.step}, before {other} in step {earlier}"
            return


def _judge_in_order(check: Check, evidence: Evidence, reading: Reading) -> _CheckResult:
    match check:
        case AnyOfCheck():
            return _judge_any_of(check, evidence, reading)
        case UpdatedCheck():
            return _judge_updated(check, evidence, reading)
        case DeletedCheck():
            return _judge_deleted(check, evidence)
        case CreatedCheck():
            return _judge_created(check, evidence, reading)
        case StateCheck():
            return _judge_state(check, evidence, reading)
        case AnswerCheck():
            return _judge_answer(check, evidence, reading)
        case OutcomeCheck():
            return _judge_outcome(check, evidence)
    assert_never(check)


def _judge_outcome(check: OutcomeCheck, evidence: Evidence) -> _CheckResult:
    same = evidence.outcome == check.outcome
    return _CheckResult(check, same, float(same), f"the outcome is {evidence.outcome}, expected {check.outcome}")


def _judge_any_of(check: AnyOfCheck, evidence: Evidence, reading: Reading) -> _CheckResult:
    """Return the best alternative; changes that the others would account for stay unaccounted for."""
    results: list[tuple[float, _CheckResult, dict[str, Any]]] = []
    for alternative in check.any_of:
        binds = dict(reading.binds)
        trying = Reading(reading.zone, reading.now, reading.ids, binds)
        judged = [_judge_in_order(inner, evidence, trying) for inner in alternative]
        share = sum(j.check.weight for j in judged if j.passed) / sum(j.check.weight for j in judged)
        part = sum(j.part for j in judged) / len(judged)
        why = "; ".join(f"{j.check.id}: {j.why}" for j in judged if not j.passed) or "holds"
        steps = [j.step for j in judged if j.step is not None]
        whole = _CheckResult(check, share == 1, part, why, max(steps, default=None))
        for j in judged:
            whole.claims.add(j.claims)
        results.append((share + part / 1000, whole, binds))
    _, best, binds = max(results, key=lambda one: one[0])
    reading.binds.update(binds)
    return best


def _judge_updated(check: UpdatedCheck, evidence: Evidence, reading: Reading) -> _CheckResult:
    history = evidence.history(evidence.names[check.updated])
    app, entity, _ = history.key
    reading.app = app
    text = evidence.text_of(app, entity)
    problems: list[str] = []
    satisfied = 0
    end = history.end
    for path, matcher in check.to.items():
        value = None if end is None else judged_value(matcher, end, path, text)
        fits = end is not None and holds_for(matcher, value, reading)
        if not fits:
            problems.append(_why(path, matcher, value, reading))
        satisfied += fits
        _bind(matcher, value, reading)
    for path, matcher in check.from_.items():
        value = None if history.start is None else judged_value(matcher, history.start, path, text)
        fits = holds_for(matcher, value, reading)
        satisfied += fits
        problems += [] if fits else [_why(f"before, {path}", matcher, value, reading)]
    leaves = changed_leaves(history.start, end) if end is not None else set()
    for path in check.keeps:
        unchanged = end is not None and not any(below(leaf, path) for leaf in leaves)
        satisfied += unchanged
        problems += [] if unchanged else [f"{path} did not stay as it was"]
    own = _first_own_change(history, check.to)
    if own is None and not problems:
        problems.append("nobody changed it: it was so from the start")
    conditions = len(check.to) + len(check.from_) + len(check.keeps)
    step = _came_true(history, check.to, reading, text) if not problems else own
    judged = _CheckResult(
        check, not problems, 0.0 if own is None else satisfied / conditions, "; ".join(problems) or "holds", step
    )
    judged.touched = own
    judged.claims.paths[history.key] = {*check.to, *check.keeps}
    return judged


def _first_own_change(history: History, to: Iterable[str]) -> int | None:
    before = history.start
    for version in history.versions:
        if version.own and any(below(leaf, path) for leaf in changed_leaves(before, version.row) for path in to):
            return version.step
        before = version.row
    return None


def _came_true(history: History, to: Mapping[str, Matcher], reading: Reading, text: Any) -> int | None:
    """Return the step since which the row has met the conditions."""
    since: int | None = None
    for version in history.versions:
        if version.row is None or not all_fit(to, version.row, text, reading):
            since = None
        elif since is None:
            since = version.step
    return since


def _judge_deleted(check: DeletedCheck, evidence: Evidence) -> _CheckResult:
    history = evidence.history(evidence.names[check.deleted])
    gone = history.start is not None and history.end is None and history.versions[-1].own
    step = history.versions[-1].step if history.versions else None
    judged = _CheckResult(check, gone, float(gone), "holds" if gone else "it is still there", step, step)
    if gone:
        judged.claims.rows.add(history.key)
    return judged


def _judge_created(check: CreatedCheck, evidence: Evidence, reading: Reading) -> _CheckResult:
    wanted = check.created
    reading.app = wanted.app
    text = evidence.text_of(wanted.app, wanted.entity)
    outward = evidence.declaration(wanted.app, wanted.entity).outward
    histories = list(evidence.of_entity(wanted.app, wanted.entity))
    made = [
        (h, evidence.with_parents(wanted.app, wanted.entity, row))
        for h in histories
        if (row := h.made) is not None and (outward or h.end is not None)
    ]
    fitting: list[tuple[History, Object]] = []
    aimed: list[tuple[History, Object]] = []
    reasons: list[str] = []
    best = 0.0
    unread: dict[str, None] = {}  # reasons, each once
    for history, row in made:
        misses = {
            path: matcher
            for path, matcher in check.where.items()
            if not holds_for(matcher, judged_value(matcher, row, path, text), reading)
        }
        if not misses:
            fitting.append((history, row))
        elif _has_refs(check.where) and not any(_is_ref(m) for m in misses.values()):
            aimed.append((history, row))
            reasons += [_why(path, m, judged_value(m, row, path, text), reading) for path, m in misses.items()]
        else:
            unread |= {
                f"{path} {TOO_LONG}": None
                for path, m in misses.items()
                if exceeds_limit(m, judged_value(m, row, path, text))
            }
        best = max(best, 1 - len(misses) / max(1, len(check.where)))
    if len(fitting) < check.count:
        # If a fault created two rows from one call, the agent may have deleted the second one.
        twice = evidence.delivered_twice
        for history in histories:
            if history.key in twice and (row := history.end) is not None and len(fitting) < check.count:
                whole = evidence.with_parents(wanted.app, wanted.entity, row)
                fitting += [(history, whole)] if all_fit(check.where, whole, text, reading) else []
    for _, row in [*fitting, *aimed][:1]:
        for path, matcher in check.where.items():
            _bind(matcher, judged_value(matcher, row, path, text), reading)
    problems = reasons
    if len(fitting) != check.count and not (reasons and len(fitting) < check.count):
        kind = f"{wanted.app} {wanted.entity}"
        problems = [*problems, *unread, f"{len(fitting)} such {kind} were made, expected {check.count}"]
    steps = sorted(h.versions[0].step for h, _ in fitting)
    aimed_steps = sorted(h.versions[0].step for h, _ in [*fitting, *aimed])
    step = steps[check.count - 1] if len(steps) >= check.count > 0 else next(iter(aimed_steps), None)
    judged = _CheckResult(
        check, not problems, 1.0 if not problems else min(best, 0.99), "; ".join(problems) or "holds", step
    )
    judged.touched = next(iter(aimed_steps), None)
    judged.claims.rows = {h.key for h, _ in [*fitting, *aimed]}
    return judged


def _judge_state(check: StateCheck, evidence: Evidence, reading: Reading) -> _CheckResult:
    wanted = check.state
    reading.app = wanted.app
    text = evidence.text_of(wanted.app, wanted.entity)

    def fit(row: Object | None) -> bool:
        if row is None:
            return False
        whole = evidence.with_parents(wanted.app, wanted.entity, row)
        return all_fit(check.where, whole, text, reading)

    histories = list(evidence.of_entity(wanted.app, wanted.entity))
    before, after = sum(fit(h.start) for h in histories), sum(fit(h.end) for h in histories)
    holds = after == check.count and before != check.count
    judged = _CheckResult(
        check, holds, float(holds), "holds" if holds else f"{after} rows are so, expected {check.count}"
    )
    steps = [h.versions[-1].step for h in histories if h.own_steps and fit(h.end) != fit(h.start)]
    judged.step = judged.touched = max(steps, default=None)
    for history in histories:
        if fit(history.end) != fit(history.start):
            judged.claims.paths[history.key] = set(check.where)
            if history.start is None or history.end is None:
                judged.claims.rows.add(history.key)
    return judged


def _judge_answer(check: AnswerCheck, evidence: Evidence, reading: Reading) -> _CheckResult:
    matcher = check.answer
    inner = without_bind(matcher)
    passed = bool(evidence.answer) and holds_for(matcher, evidence.answer, reading)
    why = "holds"
    part = float(passed)
    guessed = ungrounded(matcher, evidence, reading) if passed and check.grounded else []
    if guessed:
        _bind(matcher, evidence.answer, reading)
        return _CheckResult(
            check, False, 0.0, f"the answer says {', '.join(guessed)}, which no reply had told before it"
        )
    if exceeds_limit(matcher, evidence.answer):
        return _CheckResult(check, False, 0.0, f"the answer {TOO_LONG}")
    if not passed and isinstance(inner, Says):
        missing = inner.missing(evidence.answer, reading)
        part = 1 - len(missing) / len(inner.slots) if evidence.answer else 0.0
        why = f"the answer does not say {', '.join(missing)}" if evidence.answer else "there is no answer"
    elif not passed:
        why = f"the answer is {_shown(evidence.answer)}, expected {matcher.describe(reading)}"
    _bind(matcher, evidence.answer, reading)
    return _CheckResult(check, passed, part, why)


def _bind(matcher: Matcher, value: Any, reading: Reading) -> None:
    if isinstance(matcher, Bind):
        bound = matcher.bound_value(value, reading)
        reading.binds[matcher.name] = None if isinstance(bound, str) and is_too_long(bound) else bound


def _is_ref(matcher: Matcher) -> bool:
    """Return whether a matcher requires a named row or person, alone or in a list."""
    inner = matcher.matcher if isinstance(matcher, Bind | Not) else matcher
    match inner:
        case Ref():
            return True
        case Items():
            return any(_is_ref(m) for m in inner.matchers)
        case Equal() | Text() | NumberIs() | TimeIs() | Pattern() | AnyOf() | Not() | Says() | Bind() | Anything():
            return False
    assert_never(inner)


def _has_refs(where: Mapping[str, Matcher]) -> bool:
    return any(_is_ref(m) for m in where.values())


def _why(path: str, matcher: Matcher, value: Any, reading: Reading) -> str:
    inner = without_bind(matcher)
    if exceeds_limit(matcher, value):
        return f"{path} {TOO_LONG}"
    if isinstance(inner, Says) and isinstance(value, str):
        return f"{path} does not say {', '.join(inner.missing(value, reading))}: {_shown(value)}"
    moment = reading.moment(value) if isinstance(inner, TimeIs) else None
    shown = _shown(value) if moment is None else format_time(moment, reading.zone)
    return f"{path} is {shown}, expected {matcher.describe(reading)}"


def _shown(value: Any) -> str:
    shown = "nothing" if value is None else repr(value)
    return shown if len(shown) <= 120 else shown[:119] + "…"
