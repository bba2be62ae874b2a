"""Breaches: changes in a trial that no check accounts for and no rule permits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from soundstage.contexts.engine.schema import Object
from soundstage.grading.declarations import EntityDeclaration
from soundstage.grading.duplicates import duplicate_rows
from soundstage.grading.evidence import Evidence, History, Key
from soundstage.grading.leaves import Leaf, below, changed_leaves
from soundstage.grading.matchers import Reading, all_fit, value_at
from soundstage.grading.task import Allowed, NothingElse

_ANY: frozenset[Leaf] = frozenset()
"""No specific leaves; a rule for certain leaves applies to the row all the same."""


@dataclass(frozen=True, slots=True)
class Breach:
    """An unwanted change: the row, the kind of change, and the step.

    `never` marks a change that sets the score to 0, `doubled` one that was repeated because the first reply had been lost.
    """

    app: str
    entity: str
    id: str
    op: str
    fields: tuple[str, ...]
    step: int | None
    never: bool = False
    doubled: bool = False

    @property
    def why(self) -> str:
        """Describe the breach for people."""
        if self.doubled:
            return f"{self.app} {self.entity} {self.id} was made again, though the first was there: its answer had been lost"
        fields = f" of {', '.join(self.fields)}" if self.fields else ""
        reason = "must never happen" if self.never else "nobody asked for"
        return f"{reason}: {self.op}{fields} in {self.app} {self.entity} {self.id}"


@dataclass(slots=True)
class Claims:
    """The changes that checks account for: whole rows, and leaves below paths."""

    rows: set[Key] = field(default_factory=set)
    paths: dict[Key, set[str]] = field(default_factory=dict)

    def add(self, other: Claims) -> None:
        """Add the claims of another check."""
        self.rows |= other.rows
        for key, paths in other.paths.items():
            self.paths.setdefault(key, set()).update(paths)


@dataclass(frozen=True, slots=True)
class _Change:
    """The net effect of the agent's calls on a row: inserted, updated (with the leaves) or deleted.

    `row` is the state in which the row is read.
    """

    history: History
    declaration: EntityDeclaration
    op: str
    fields: frozenset[Leaf]
    row: Object


def breaches(rule: NothingElse, evidence: Evidence, reading: Reading, claims: Claims) -> list[Breach]:
    """Return the agent's net changes and messages to people that no check accounts for and no rule permits."""
    result: list[Breach] = []
    used: dict[int, int] = {}
    for change in _own_changes(evidence):
        key, op, fields = change.history.key, change.op, change.fields
        reading.app = key[0]
        # An unreadable text may match a rule about changes that must never happen.
        never = any(_allows(a, change, fields, evidence, reading, too_long=True) for a in rule.never)
        if not never:
            if key in claims.rows:
                continue
            if op == "update":
                paths = claims.paths.get(key, set())
                unclaimed = frozenset(leaf for leaf in fields if not any(below(leaf, path) for path in paths))
                fields = _without(rule.may, change, unclaimed, evidence, reading)
                if not fields:
                    continue
            elif _taken(rule.may, used, change, evidence, reading):
                continue
        shown = tuple(sorted(".".join(leaf) for leaf in fields))
        result.append(Breach(*key, op, shown, change.history.own_steps[0], never))
    doubled = {h.key: h.own_steps[0] for h in duplicate_rows(evidence)}
    known = {(b.app, b.entity, b.id) for b in result if b.never}
    result = [b for b in result if b.never or (b.app, b.entity, b.id) not in doubled]
    result += [Breach(*key, "insert", (), step, doubled=True) for key, step in doubled.items() if key not in known]
    return result


def net_changes(rule: NothingElse, evidence: Evidence, reading: Reading) -> list[str]:
    """Return a canonical list of a trial's net changes, without those that `may` permits or the app makes itself.

    Two trials with equal lists are equivalent.
    """
    result: list[str] = []
    used: dict[int, int] = {}
    for change in _own_changes(evidence):
        (app, entity, row_id), op = change.history.key, change.op
        reading.app = app
        if op == "update":
            fields = _without(rule.may, change, change.fields, evidence, reading)
            if not fields:
                continue
            values: object = sorted((leaf, repr(value_at(change.row, ".".join(leaf)))) for leaf in fields)
        elif _taken(rule.may, used, change, evidence, reading):
            continue
        else:
            declaration = change.declaration
            whole = evidence.with_parents(app, entity, change.row)  # a new parent's generated id carries no information
            values = sorted(
                (n, repr(v)) for n, v in whole.items() if n not in declaration.key and not declaration.sets_itself((n,))
            )
        result.append(repr((app, entity, op, row_id if op != "insert" else "", values)))
    return sorted(result)


def _own_changes(evidence: Evidence) -> Iterator[_Change]:
    """Yield the net changes of the agent's calls, without an app's internal records."""
    for history in evidence.touched.values():
        app, entity, _ = history.key
        declaration = evidence.declaration(app, entity)
        if declaration.bookkeeping or not history.own_steps:
            continue
        change = _net(history, declaration)
        if change is not None:
            yield change


def _net(history: History, declaration: EntityDeclaration) -> _Change | None:
    """Return a row's net change, or None; a message to people counts even if it was deleted."""
    start, end = history.start, history.end
    if start is None:
        if history.made is None or (end is None and not declaration.outward):
            return None
        return _Change(history, declaration, "insert", frozenset(), history.made)
    if end is None:
        return _Change(history, declaration, "delete", frozenset(), start)
    fields = frozenset(leaf for leaf in changed_leaves(start, end) if not declaration.sets_itself(leaf))
    return _Change(history, declaration, "update", fields, end) if fields else None


def _taken(
    may: tuple[Allowed, ...], used: dict[int, int], change: _Change, evidence: Evidence, reading: Reading
) -> bool:
    """Whether a rule with remaining uses permits creating or deleting a row; `used` counts uses by the rules' indices."""
    for i, allowed in enumerate(may):
        if _allows(allowed, change, _ANY, evidence, reading):
            used[i] = used.get(i, 0) + 1
            if allowed.at_most is None or used[i] <= allowed.at_most:
                return True
    return False


def _without(
    may: tuple[Allowed, ...], change: _Change, fields: frozenset[Leaf], evidence: Evidence, reading: Reading
) -> frozenset[Leaf]:
    """Return the leaves of an updated row that no rule permits to change."""
    for allowed in may:
        if _allows(allowed, change, _ANY, evidence, reading):
            fields = frozenset(leaf for leaf in fields if allowed.fields and not _among(leaf, allowed.fields))
    return fields


def _allows(
    allowed: Allowed,
    change: _Change,
    fields: frozenset[Leaf],
    evidence: Evidence,
    reading: Reading,
    *,
    too_long: bool = False,
) -> bool:
    """Whether a rule applies to this row and, if `fields` is given, to one of the changed leaves.

    `too_long` is the result for a row whose text is too long to be graded.
    """
    key = change.history.key
    app, entity, _ = key
    if (allowed.app, allowed.entity) != (app, entity) or (allowed.op and change.op not in allowed.op):
        return False
    if allowed.row is not None and evidence.names.get(allowed.row) != key:
        return False
    if fields and allowed.fields and not any(_among(leaf, allowed.fields) for leaf in fields):
        return False
    text, whole = evidence.text_of(app, entity), evidence.with_parents(app, entity, change.row)
    return all_fit(allowed.where, whole, text, reading, too_long=too_long)


def _among(leaf: Leaf, paths: tuple[str, ...]) -> bool:
    return any(below(leaf, path) for path in paths)
