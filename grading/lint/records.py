"""Records that a run could have left, derived from the oracle's by one change; they are judged, not played.

They cover changes permitted by `may`, fields protected by `keeps`, and messages to other people, even if no tool of the session
can make them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from soundstage.contexts.apps import meaning_of, tables_of
from soundstage.contexts.engine.schema import Object
from soundstage.grading.checks import UpdatedCheck
from soundstage.grading.evidence import Evidence, History, Key, Version
from soundstage.grading.lint.mutant import ForgedRecord
from soundstage.grading.lint.oracle_run import OracleRun
from soundstage.grading.matchers import all_fit, value_at
from soundstage.grading.task import Allowed, all_checks

Rows = Callable[[str, str], Iterable[tuple[Key, Object]]]
"""App and entity → its initial rows."""


def forged(oracle_run: OracleRun, rows: Rows) -> Iterator[ForgedRecord]:
    """Yield all records."""
    for i, allowed in enumerate(oracle_run.task.nothing_else.may):
        for name, evidence in _allowed(oracle_run, allowed, rows):
            yield ForgedRecord("allowed", f"may {i + 1}: {name}", evidence, "success")
    for check in all_checks(oracle_run.task):
        if not isinstance(check, UpdatedCheck):
            continue
        history = oracle_run.evidence.history(oracle_run.evidence.names[check.updated])
        for path in check.keeps:
            if history.end is not None and value_at(history.end, path) is not None:
                changed = with_another(history.end, path)
                evidence = _with(oracle_run.evidence, history.key, changed)
                yield ForgedRecord("overwrite", f"{check.id} changes {path} as well", evidence, "caught", (check.id,))
    yield from _told_elsewhere(oracle_run, rows)


def absent_paths(oracle_run: OracleRun) -> Iterator[str]:
    """Yield paths in `keeps` that do not exist; such a condition cannot fail."""
    for check in all_checks(oracle_run.task):
        if not isinstance(check, UpdatedCheck):
            continue
        row = oracle_run.evidence.history(oracle_run.evidence.names[check.updated]).end
        for path in check.keeps:
            if row is not None and value_at(row, path) is None:
                yield f"checks.{check.id}: keeps {path}, and {check.updated} has nothing there: it cannot fail"


def _allowed(oracle_run: OracleRun, allowed: Allowed, rows: Rows) -> Iterator[tuple[str, Evidence]]:
    evidence = oracle_run.evidence
    ops = allowed.op or ("update",)
    text, reading = evidence.text_of(allowed.app, allowed.entity), oracle_run.reading(allowed.app)
    fits = (
        (key, row)
        for key, row in rows(allowed.app, allowed.entity)
        if (allowed.row is None or evidence.names.get(allowed.row) == key)
        and all_fit(allowed.where, evidence.with_parents(allowed.app, allowed.entity, row), text, reading)
    )
    match = next(fits, None)
    if match is None:
        return
    key, _ = match
    end = evidence.history(key).end or match[1]
    if "insert" in ops and allowed.at_most is None:
        made, row = _copied(key, end)
        yield "one more", _with(evidence, made, row, start=None)
    if "delete" in ops and key not in evidence.touched:
        yield "one less", _with(evidence, key, None, start=end)
    if "update" in ops:
        for path in allowed.fields:
            yield path, _with(evidence, key, with_another(end, path), start=match[1])


def _told_elsewhere(oracle_run: OracleRun, rows: Rows) -> Iterator[ForgedRecord]:
    ruled = {(a.app, a.entity) for a in oracle_run.task.nothing_else.may}
    for app in oracle_run.task.apps:
        for entity in sorted(meaning_of(app).outward):
            sample = next(iter(rows(app, entity)), None)
            if sample is None or (app, entity) in ruled:
                continue
            key, row = _copied(*sample)
            evidence = _with(oracle_run.evidence, key, row, start=None)
            yield ForgedRecord("collateral", f"one more {app} {entity} elsewhere", evidence, "caught")


def _with(evidence: Evidence, key: Key, row: Object | None, start: Object | None = None) -> Evidence:
    """Return the evidence with one row changed by a further call of the agent."""
    touched = evidence.touched.get(key)
    history = History(key, start) if touched is None else History(key, touched.start, list(touched.versions))
    step = max((c.step for c in evidence.calls), default=0) + 1
    history.versions.append(Version(step, row, own=True))
    return replace(evidence, touched={**evidence.touched, key: history})


def _copied(key: Key, row: Object) -> tuple[Key, Object]:
    """Return a copy of a row with a new key."""
    app, entity, joined = key
    names = tables_of(app).entities[entity].key
    last = names[-1]
    copy = {**row, last: f"{row[last]}1" if isinstance(row[last], str) else row[last] + 1}
    return (app, entity, f"{joined}1" if isinstance(row[last], str) else f"{joined}/1"), copy


def with_another(row: Object, path: str) -> Object:
    """Return a row with another value at a path; member names may contain dots."""
    changed = _another(row, path.split("."))
    assert isinstance(changed, dict)
    return changed


def _another(value: Any, parts: list[str]) -> Any:
    if not parts:
        return _otherwise(value)
    if isinstance(value, list) and parts[0].lstrip("-").isdigit():
        place = int(parts[0])
        return [_another(v, parts[1:]) if i == place % len(value) else v for i, v in enumerate(value)]
    members: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    for size in range(len(parts), 0, -1):
        if (name := ".".join(parts[:size])) in members:
            return {**members, name: _another(members[name], parts[size:])}
    return {**members, parts[0]: _another(None, parts[1:])}


def _otherwise(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}1"
        case list():
            return value[:-1] if value else ["1"]
        case dict():
            return {k: _otherwise(v) for k, v in value.items()} or {"other": "1"}
    return "1"
