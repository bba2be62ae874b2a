"""A trial's verdict: which checks hold and why, what was changed beside them, and the score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from soundstage.contexts.apps import meaning_of, tables_of
from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import Object
from soundstage.grading.evidence import Evidence, History, Key
from soundstage.grading.leaves import Leaf, below, changed_leaves
from soundstage.grading.matchers import (
    Bind,
    Items,
    Matcher,
    Not,
    Reading,
    Ref,
    Says,
    TimeIs,
    all_fit,
    looked_at,
    shown_moment,
    unbound,
)
from soundstage.grading.task import Allowed, Check, Entity, NothingElse, Task


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """How a check came out. `part` is the share of its conditions that hold, `step` the one that made it true, or broke it."""

    id: str
    passed: bool
    part: float
    why: str
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Breach:
    """A change that nobody asked for: the row, what happened to it, and in which step. `never` is one that leaves nothing."""

    app: str
    entity: str
    id: str
    op: str
    fields: tuple[str, ...]
    step: int | None
    never: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """`progress` is the weighted share of the checks that pass, `score` what the gates leave of it, both from 0 to 1."""

    progress: float
    score: float
    success: bool
    checks: tuple[CheckVerdict, ...]
    breaches: tuple[Breach, ...]


@dataclass(slots=True)
class _Claims:
    """What the checks answer for: whole rows, and leaves of rows below paths."""

    rows: set[Key] = field(default_factory=set)
    paths: dict[Key, set[str]] = field(default_factory=dict)

    def add(self, other: _Claims) -> None:
        self.rows |= other.rows
        for key, paths in other.paths.items():
            self.paths.setdefault(key, set()).update(paths)


@dataclass(slots=True)
class _Judged:
    check: Check
    passed: bool
    part: float
    why: str
    step: int | None = None
    touched: int | None = None  # the first step that did anything about it
    claims: _Claims = field(default_factory=_Claims)


def grade(task: Task, evidence: Evidence) -> Verdict:
    """Judge a trial from what changed and what was answered. It reads no clock, no network and no world."""
    reading = Reading(evidence.zone, evidence.now, evidence.ids)
    judged = [_judge_in_order(check, evidence, reading) for check in task.checks]
    by_id: dict[str, _Judged] = {}
    for one in judged:
        _require(one, by_id)
        by_id[one.check.id] = one
    claims = _Claims()
    for one in judged:
        claims.add(one.claims)
    breaches = _breaches(task.nothing_else, evidence, reading, claims)
    total = sum(c.weight for c in task.checks)
    progress = sum(one.check.weight for one in judged if one.passed) / total
    gate = 0.0 if any(b.never for b in breaches) else task.nothing_else.cost if breaches else 1.0
    return Verdict(
        progress=progress,
        score=progress * gate,
        success=not breaches and all(one.passed for one in judged),
        checks=tuple(CheckVerdict(j.check.id, j.passed, j.part, j.why, j.step) for j in judged),
        breaches=tuple(breaches),
    )


def bindings(task: Task, evidence: Evidence) -> dict[str, Any]:
    """What a trial's checks bound, by name."""
    reading = Reading(evidence.zone, evidence.now, evidence.ids)
    for check in task.checks:
        _judge_in_order(check, evidence, reading)
    return reading.binds


def _require(one: _Judged, by_id: Mapping[str, _Judged]) -> None:
    """What a check asks of earlier ones: that they pass, or that they came true before it."""
    if not one.passed:
        return
    for other in one.check.requires_check:
        if not by_id[other].passed:
            one.passed, one.why = False, f"counts only where {other} passes"
            return
    for other in one.check.after:
        earlier = by_id[other].step or by_id[other].touched
        if earlier is not None and one.step is not None and one.step < earlier:
            one.passed, one.why = False, f"was done in step {one.step}, before {other} in step {earlier}"
            return


def _judge_in_order(check: Check, evidence: Evidence, reading: Reading) -> _Judged:
    if check.any_of:
        return _best(check, evidence, reading)
    if check.updated:
        return _updated(check, evidence, reading)
    if check.deleted:
        return _deleted(check, evidence)
    if check.created:
        return _created(check, check.created, evidence, reading)
    if check.state:
        return _state(check, check.state, evidence, reading)
    if check.answer is not None:
        return _answered(check, check.answer, evidence, reading)
    same = evidence.outcome == check.outcome
    return _Judged(check, same, float(same), f"the outcome is {evidence.outcome}, expected {check.outcome}")


def _best(check: Check, evidence: Evidence, reading: Reading) -> _Judged:
    """The alternative that went best; what the others would answer for is not answered for."""
    found: list[tuple[float, _Judged, dict[str, Any]]] = []
    for alternative in check.any_of:
        binds = dict(reading.binds)
        trying = Reading(reading.zone, reading.now, reading.ids, binds)
        judged = [_judge_in_order(inner, evidence, trying) for inner in alternative]
        share = sum(j.check.weight for j in judged if j.passed) / sum(j.check.weight for j in judged)
        part = sum(j.part for j in judged) / len(judged)
        why = "; ".join(f"{j.check.id}: {j.why}" for j in judged if not j.passed) or "holds"
        steps = [j.step for j in judged if j.step is not None]
        whole = _Judged(check, share == 1, part, why, max(steps, default=None))
        for j in judged:
            whole.claims.add(j.claims)
        found.append((share + part / 1000, whole, binds))
    _, best, binds = max(found, key=lambda one: one[0])
    reading.binds.update(binds)
    return best


def _updated(check: Check, evidence: Evidence, reading: Reading) -> _Judged:
    assert check.updated is not None
    history = evidence.history(evidence.names[check.updated])
    app, entity, _ = history.key
    reading.app = app
    text = evidence.text_of(app, entity)
    problems: list[str] = []
    held = 0
    end = history.end
    for path, matcher in check.to.items():
        value = None if end is None else looked_at(matcher, end, path, text)
        fits = end is not None and matcher.fits(value, reading)
        if not fits:
            problems.append(_why(path, matcher, value, reading))
        held += fits
        _bind(matcher, value, reading)
    for path, matcher in check.from_.items():
        value = None if history.start is None else looked_at(matcher, history.start, path, text)
        fits = matcher.fits(value, reading)
        held += fits
        problems += [] if fits else [_why(f"before, {path}", matcher, value, reading)]
    leaves = changed_leaves(history.start, end) if end is not None else set()
    for path in check.keeps or ():
        kept = end is not None and not any(below(leaf, path) for leaf in leaves)
        held += kept
        problems += [] if kept else [f"{path} did not stay as it was"]
    own = _first_own_change(history, check.to)
    if own is None and not problems:
        problems.append("nobody changed it: it was so from the start")
    conditions = len(check.to) + len(check.from_) + len(check.keeps or ())
    step = _came_true(history, check.to, reading, text) if not problems else own
    judged = _Judged(
        check, not problems, 0.0 if own is None else held / conditions, "; ".join(problems) or "holds", step
    )
    judged.touched = own
    judged.claims.paths[history.key] = {*check.to, *(check.keeps or ())}
    return judged


def _first_own_change(history: History, to: Iterable[str]) -> int | None:
    before = history.start
    for version in history.versions:
        if version.own and any(below(leaf, path) for leaf in changed_leaves(before, version.row) for path in to):
            return version.step
        before = version.row
    return None


def _came_true(history: History, to: Mapping[str, Matcher], reading: Reading, text: Any) -> int | None:
    """The step since which the row has been as it should."""
    since: int | None = None
    for version in history.versions:
        if version.row is None or not all_fit(to, version.row, text, reading):
            since = None
        elif since is None:
            since = version.step
    return since


def _deleted(check: Check, evidence: Evidence) -> _Judged:
    assert check.deleted is not None
    history = evidence.history(evidence.names[check.deleted])
    gone = history.start is not None and history.end is None and history.versions[-1].own
    step = history.versions[-1].step if history.versions else None
    judged = _Judged(check, gone, float(gone), "holds" if gone else "it is still there", step, step)
    if gone:
        judged.claims.rows.add(history.key)
    return judged


def _created(check: Check, wanted: Entity, evidence: Evidence, reading: Reading) -> _Judged:
    reading.app = wanted.app
    text = evidence.text_of(wanted.app, wanted.entity)
    outward = wanted.entity in meaning_of(wanted.app).outward
    made = [
        (h, evidence.with_parents(wanted.app, wanted.entity, row))
        for h in evidence.of_entity(wanted.app, wanted.entity)
        if (row := h.made) is not None and (outward or h.end is not None)
    ]
    fitting: list[tuple[History, Object]] = []
    aimed: list[tuple[History, Object]] = []
    reasons: list[str] = []
    best = 0.0
    for history, row in made:
        misses = {
            path: matcher
            for path, matcher in check.where.items()
            if not matcher.fits(looked_at(matcher, row, path, text), reading)
        }
        if not misses:
            fitting.append((history, row))
        elif _has_refs(check.where) and not any(_is_ref(m) for m in misses.values()):
            aimed.append((history, row))
            reasons += [_why(path, m, looked_at(m, row, path, text), reading) for path, m in misses.items()]
        best = max(best, 1 - len(misses) / max(1, len(check.where)))
    for _, row in [*fitting, *aimed][:1]:
        for path, matcher in check.where.items():
            _bind(matcher, looked_at(matcher, row, path, text), reading)
    problems = reasons
    if len(fitting) != check.count and not (reasons and len(fitting) < check.count):
        kind = f"{wanted.app} {wanted.entity}"
        problems = [*problems, f"{len(fitting)} such {kind} were made, expected {check.count}"]
    steps = sorted(h.versions[0].step for h, _ in fitting)
    aimed_steps = sorted(h.versions[0].step for h, _ in [*fitting, *aimed])
    step = steps[check.count - 1] if len(steps) >= check.count > 0 else next(iter(aimed_steps), None)
    judged = _Judged(
        check, not problems, 1.0 if not problems else min(best, 0.99), "; ".join(problems) or "holds", step
    )
    judged.touched = next(iter(aimed_steps), None)
    judged.claims.rows = {h.key for h, _ in [*fitting, *aimed]}
    return judged


def _state(check: Check, wanted: Entity, evidence: Evidence, reading: Reading) -> _Judged:
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
    judged = _Judged(check, holds, float(holds), "holds" if holds else f"{after} rows are so, expected {check.count}")
    steps = [h.versions[-1].step for h in histories if h.own_steps and fit(h.end) != fit(h.start)]
    judged.step = judged.touched = max(steps, default=None)
    for history in histories:
        if fit(history.end) != fit(history.start):
            judged.claims.paths[history.key] = set(check.where)
            if history.start is None or history.end is None:
                judged.claims.rows.add(history.key)
    return judged


def _answered(check: Check, matcher: Matcher, evidence: Evidence, reading: Reading) -> _Judged:
    inner = unbound(matcher)
    passed = bool(evidence.answer) and matcher.fits(evidence.answer, reading)
    why = "holds"
    part = float(passed)
    if not passed and isinstance(inner, Says):
        missing = inner.missing(evidence.answer, reading)
        part = 1 - len(missing) / len(inner.slots) if evidence.answer else 0.0
        why = f"the answer does not say {', '.join(missing)}" if evidence.answer else "there is no answer"
    elif not passed:
        why = f"the answer is {_shown(evidence.answer)}, expected {matcher.wanted(reading)}"
    _bind(matcher, evidence.answer, reading)
    return _Judged(check, passed, part, why)


def _bind(matcher: Matcher, value: Any, reading: Reading) -> None:
    if isinstance(matcher, Bind):
        reading.binds[matcher.name] = matcher.found(value, reading)


def _is_ref(matcher: Matcher) -> bool:
    inner = matcher.matcher if isinstance(matcher, Bind | Not) else matcher
    return isinstance(inner, Ref) or (isinstance(inner, Items) and any(_is_ref(m) for m in inner.matchers))


def _has_refs(where: Mapping[str, Matcher]) -> bool:
    return any(_is_ref(m) for m in where.values())


def _why(path: str, matcher: Matcher, value: Any, reading: Reading) -> str:
    inner = unbound(matcher)
    if isinstance(inner, Says) and isinstance(value, str):
        return f"{path} does not say {', '.join(inner.missing(value, reading))}: {_shown(value)}"
    moment = reading.moment(value) if isinstance(inner, TimeIs) else None
    shown = _shown(value) if moment is None else shown_moment(moment, reading.zone)
    return f"{path} is {shown}, expected {matcher.wanted(reading)}"


def _shown(value: Any) -> str:
    shown = "nothing" if value is None else repr(value)
    return shown if len(shown) <= 120 else shown[:119] + "…"


def _breaches(rule: NothingElse, evidence: Evidence, reading: Reading, claims: _Claims) -> list[Breach]:
    """What the agent changed that no check answers for and nothing allows; every net change, and all that was said to people."""
    found: list[Breach] = []
    used: dict[int, int] = {}
    for history in evidence.touched.values():
        app, entity, row_id = history.key
        meaning = meaning_of(app)
        if entity in meaning.bookkeeping or not history.own_steps:
            continue
        op, fields, row = _net(history, meaning)
        if op is None:
            continue
        reading.app = app
        step = history.own_steps[0]
        never = any(_allows(a, history, op, fields, row, evidence, reading) for a in rule.never)
        if not never:
            if history.key in claims.rows:
                continue
            paths = claims.paths.get(history.key, set())
            fields = {leaf for leaf in fields if op != "update" or not any(below(leaf, path) for path in paths)}
            if op == "update":
                for allowed in rule.may:
                    if _allows(allowed, history, op, set(), row, evidence, reading):
                        fields = {leaf for leaf in fields if allowed.fields and not _among(leaf, allowed.fields)}
                if not fields:
                    continue
            elif _taken(rule.may, used, history, op, row, evidence, reading):
                continue
        shown = tuple(sorted(".".join(leaf) for leaf in fields)) if op == "update" else ()
        found.append(Breach(app, entity, row_id, op, shown, step, never))
    return found


def _taken(
    may: tuple[Allowed, ...],
    used: dict[int, int],
    history: History,
    op: str,
    row: Object,
    evidence: Evidence,
    reading: Reading,
) -> bool:
    for i, allowed in enumerate(may):
        if _allows(allowed, history, op, set(), row, evidence, reading):
            used[i] = used.get(i, 0) + 1
            if allowed.at_most is None or used[i] <= allowed.at_most:
                return True
    return False


def _net(history: History, meaning: Meaning) -> tuple[str | None, set[Leaf], Object]:
    """What became of a row in the end: inserted, updated (with the leaves) or deleted; None where nothing did.

    What was said to people counts though it was taken back.
    """
    start, end = history.start, history.end
    if start is None:
        made, said = history.made, history.key[1] in meaning.outward
        return ("insert", set(), made) if made is not None and (end is not None or said) else (None, set(), {})
    if end is None:
        return "delete", set(), start
    fields = {leaf for leaf in changed_leaves(start, end) if not meaning.sets_itself(history.key[1], leaf)}
    return ("update", fields, end) if fields else (None, set(), end)


def _allows(
    allowed: Allowed,
    history: History,
    op: str,
    fields: set[Leaf],
    row: Object,
    evidence: Evidence,
    reading: Reading,
) -> bool:
    """Whether a rule speaks of this row; with `fields` given, also of one of the leaves that changed."""
    app, entity, _ = history.key
    if (allowed.app, allowed.entity) != (app, entity) or (allowed.op and op not in allowed.op):
        return False
    if allowed.row is not None and evidence.names.get(allowed.row) != history.key:
        return False
    if fields and allowed.fields and not any(_among(leaf, allowed.fields) for leaf in fields):
        return False
    text, whole = evidence.text_of(app, entity), evidence.with_parents(app, entity, row)
    return all_fit(allowed.where, whole, text, reading)


def _among(leaf: Leaf, paths: tuple[str, ...]) -> bool:
    return any(below(leaf, path) for path in paths)


def net_changes(task: Task, evidence: Evidence) -> list[str]:
    """What a trial came to, in an order of its own: each row that its calls changed, without what `may` allows and what the app
    does by itself. Two trials with equal lists differ in nothing that counts.
    """
    reading = Reading(evidence.zone, evidence.now, evidence.ids, bindings(task, evidence))
    found: list[str] = []
    used: dict[int, int] = {}
    for history in evidence.touched.values():
        app, entity, row_id = history.key
        meaning = meaning_of(app)
        if entity in meaning.bookkeeping or not history.own_steps:
            continue
        op, fields, row = _net(history, meaning)
        reading.app = app
        if op is None or (op != "update" and _taken(task.nothing_else.may, used, history, op, row, evidence, reading)):
            continue
        if op == "update":
            for allowed in task.nothing_else.may:
                if _allows(allowed, history, op, set(), row, evidence, reading):
                    fields = {leaf for leaf in fields if allowed.fields and not _among(leaf, allowed.fields)}
            if not fields:
                continue
            told: Any = sorted((leaf, repr(_leaf(row, leaf))) for leaf in fields)
        else:
            own = tables_of(app).entities[entity].key
            whole = evidence.with_parents(app, entity, row)  # a new parent has an id that says nothing
            told = sorted(
                (n, repr(v)) for n, v in whole.items() if n not in own and not meaning.sets_itself(entity, (n,))
            )
        found.append(repr((app, entity, op, row_id if op != "insert" else "", told)))
    return sorted(found)


def _leaf(value: Any, leaf: Leaf) -> Any:
    for part in leaf:
        if isinstance(value, list):
            value = value[int(part)]
        elif isinstance(value, Mapping):
            value = value.get(part)
    return value
