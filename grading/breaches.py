"""What was changed in a trial that no check answers for and nothing allows: breaches."""

from __future__ import annotations

from dataclasses import dataclass, field

from soundstage.contexts.engine.schema import Object
from soundstage.grading.declared import Declared
from soundstage.grading.doubled import made_again
from soundstage.grading.evidence import Evidence, History, Key
from soundstage.grading.leaves import Leaf, below, changed_leaves
from soundstage.grading.matchers import Reading, all_fit, value_at
from soundstage.grading.task import Allowed, NothingElse


@dataclass(frozen=True, slots=True)
class Breach:
    """A change that nobody asked for: the row, what happened to it, and in which step. `never` is one that leaves nothing,
    `doubled` one that was made a second time because its answer had been lost.
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
        if self.doubled:
            return f"{self.app} {self.entity} {self.id} was made again, though the first was there: its answer had been lost"
        fields = f" of {', '.join(self.fields)}" if self.fields else ""
        asked = "must never happen" if self.never else "nobody asked for"
        return f"{asked}: {self.op}{fields} in {self.app} {self.entity} {self.id}"


@dataclass(slots=True)
class Claims:
    """What the checks answer for: whole rows, and leaves of rows below paths."""

    rows: set[Key] = field(default_factory=set)
    paths: dict[Key, set[str]] = field(default_factory=dict)

    def add(self, other: Claims) -> None:
        self.rows |= other.rows
        for key, paths in other.paths.items():
            self.paths.setdefault(key, set()).update(paths)


def breaches(rule: NothingElse, evidence: Evidence, reading: Reading, claims: Claims) -> list[Breach]:
    """What the agent changed that no check answers for and nothing allows; every net change, and all that was said to people."""
    found: list[Breach] = []
    used: dict[int, int] = {}
    for history in evidence.touched.values():
        app, entity, row_id = history.key
        declared = evidence.declared(app, entity)
        if declared.bookkeeping or not history.own_steps:
            continue
        op, fields, row = _net(history, declared)
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
    doubled = {h.key: h.own_steps[0] for h in made_again(evidence)}
    known = {(b.app, b.entity, b.id) for b in found if b.never}
    found = [b for b in found if b.never or (b.app, b.entity, b.id) not in doubled]
    found += [Breach(*key, "insert", (), step, doubled=True) for key, step in doubled.items() if key not in known]
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


def _net(history: History, declared: Declared) -> tuple[str | None, set[Leaf], Object]:
    """What became of a row in the end: inserted, updated (with the leaves) or deleted; None where nothing did.

    What was said to people counts though it was taken back.
    """
    start, end = history.start, history.end
    if start is None:
        made, said = history.made, declared.outward
        return ("insert", set(), made) if made is not None and (end is not None or said) else (None, set(), {})
    if end is None:
        return "delete", set(), start
    fields = {leaf for leaf in changed_leaves(start, end) if not declared.sets_itself(leaf)}
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


def net_changes(rule: NothingElse, evidence: Evidence, reading: Reading) -> list[str]:
    """What a trial came to, in an order of its own: each row that its calls changed, without what `may` allows and what the app
    does by itself. Two trials with equal lists differ in nothing that counts.
    """
    found: list[str] = []
    used: dict[int, int] = {}
    for history in evidence.touched.values():
        app, entity, row_id = history.key
        declared = evidence.declared(app, entity)
        if declared.bookkeeping or not history.own_steps:
            continue
        op, fields, row = _net(history, declared)
        reading.app = app
        if op is None or (op != "update" and _taken(rule.may, used, history, op, row, evidence, reading)):
            continue
        if op == "update":
            for allowed in rule.may:
                if _allows(allowed, history, op, set(), row, evidence, reading):
                    fields = {leaf for leaf in fields if allowed.fields and not _among(leaf, allowed.fields)}
            if not fields:
                continue
            told: object = sorted((leaf, repr(value_at(row, ".".join(leaf)))) for leaf in fields)
        else:
            whole = evidence.with_parents(app, entity, row)  # a new parent has an id that says nothing
            told = sorted(
                (n, repr(v)) for n, v in whole.items() if n not in declared.key and not declared.sets_itself((n,))
            )
        found.append(repr((app, entity, op, row_id if op != "insert" else "", told)))
    return sorted(found)
