"""Find rows that the agent created twice because the first reply was lost and it retried without looking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Any

from soundstage.grading.evidence import Evidence, History


def duplicate_rows(evidence: Evidence) -> Iterator[History]:
    """Yield the rows that a blind retry created although an earlier call had already created them.

    Deleted rows do not count, unless people could see them. The ledger lists the retries that created rows. Two calls create
    the same thing if their rows have the same parents and do not contain the values in which the arguments differ, such as a
    request id. The same text sent to another person is therefore not a retry.
    """
    steps = {step.step: step for step in evidence.calls}
    made = _made_by_step(evidence)
    for fault in evidence.struck:
        before = [fault.step]
        for again in fault.again:
            same = [
                (made.get(first, []), set(leaves(steps[first].arguments)) ^ set(leaves(steps[again].arguments)))
                for first in before
                if first in steps and again in steps
            ]
            for history in made.get(again, []):
                declaration = evidence.declaration(*history.key[:2])
                if declaration.bookkeeping or (history.end is None and not declaration.outward):
                    continue
                if any(_same(evidence, earlier, differing, history) for earlier, differing in same):
                    yield history
            before.append(again)


def _made_by_step(evidence: Evidence) -> dict[int, list[History]]:
    """Return the rows that the agent's calls created, by step."""
    by_step: dict[int, list[History]] = {}
    for history in evidence.touched.values():
        if history.start is None and history.versions[0].own:
            by_step.setdefault(history.versions[0].step, []).append(history)
    return by_step


def _same(evidence: Evidence, earlier: Iterable[History], differing: Set[str], made: History) -> bool:
    """Return whether a row repeats one of the `earlier` rows; `differing` are the values in which the arguments differ."""
    app, entity, _ = made.key
    declaration = evidence.declaration(app, entity)
    row = made.versions[0].row or {}
    for other in earlier:
        before = other.versions[0].row or {}
        if other.key[:2] == (app, entity) and declaration.parent_keys(before) == declaration.parent_keys(row):
            return differing.isdisjoint([*leaves(before), *leaves(row)])
    return False


def leaves(value: Any) -> Iterator[str]:
    """Yield every scalar in a JSON value as text."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    elif value is not None:
        yield str(value)
