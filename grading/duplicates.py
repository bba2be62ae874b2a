"""What was done a second time because the answer to the first was lost, and nobody looked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Any

from soundstage.grading.evidence import Evidence, History


def duplicate_rows(evidence: Evidence) -> Iterator[History]:
    """The rows that a blind retry made although the call before it had made them; those that are gone again are none, unless
    they reached people.

    The ledger says which retries made something new. A retry is of the same thing where what differs between the arguments
    (an id of the request, say) left no trace in the rows, and both belong to the same parents: the same words to another
    person are no retry.
    """
    steps = {step.step: step for step in evidence.calls}
    made = _made_by_step(evidence)
    for struck in evidence.struck:
        before = [struck.step]
        for again in struck.again:
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
    """Return the rows that the agent's calls made, by the step."""
    by_step: dict[int, list[History]] = {}
    for history in evidence.touched.values():
        if history.start is None and history.versions[0].own:
            by_step.setdefault(history.versions[0].step, []).append(history)
    return by_step


def _same(evidence: Evidence, earlier: Iterable[History], differing: Set[str], made: History) -> bool:
    """Whether a row is of the same thing as one of the `earlier` call's. `differing` is what differs between the arguments."""
    app, entity, _ = made.key
    declaration = evidence.declaration(app, entity)
    row = made.versions[0].row or {}
    for other in earlier:
        before = other.versions[0].row or {}
        if other.key[:2] == (app, entity) and declaration.parent_keys(before) == declaration.parent_keys(row):
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
