"""What was done a second time because the answer to the first was lost, and nobody looked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from soundstage.grading.evidence import Evidence, History, Step


def made_again(evidence: Evidence) -> Iterator[History]:
    """The rows that a blind retry made although the call before it had made them; those that are gone again are none, unless
    they reached people.

    The ledger says which retries made something new. A retry is of the same thing where what differs between the arguments
    (an id of the request, say) left no trace in the rows, and both belong to the same parents: the same words to another
    person are no retry.
    """
    steps = {step.step: step for step in evidence.calls}
    for struck in evidence.struck:
        before = [struck.step]
        for again in struck.again:
            for history in _made_in(evidence, again):
                declared = evidence.declared(*history.key[:2])
                if declared.bookkeeping or (history.end is None and not declared.outward):
                    continue
                if any(_same(evidence, steps[first], steps[again], history) for first in before if first in steps):
                    yield history
            before.append(again)


def _made_in(evidence: Evidence, step: int) -> list[History]:
    return [
        h for h in evidence.touched.values() if h.start is None and h.versions[0].step == step and h.versions[0].own
    ]


def _same(evidence: Evidence, first: Step, again: Step, made: History) -> bool:
    app, entity, _ = made.key
    declared = evidence.declared(app, entity)
    row = made.versions[0].row or {}
    differing = set(leaves(first.arguments)) ^ set(leaves(again.arguments))
    for other in _made_in(evidence, first.step):
        before = other.versions[0].row or {}
        if other.key[:2] == (app, entity) and declared.parent_keys(before) == declared.parent_keys(row):
            return differing.isdisjoint([*leaves(before), *leaves(row)])
    return False


def leaves(value: Any) -> Iterator[str]:
    """Every value in a JSON value, as text."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    elif value is not None:
        yield str(value)
