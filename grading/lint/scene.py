"""How a task's oracle went, and what was found out by trying: all that operators work on beside the task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from soundstage.contexts.apps import meaning_of
from soundstage.contexts.engine.journal import Change
from soundstage.grading.evidence import Evidence
from soundstage.grading.lint.wording import Fact, facts
from soundstage.grading.matchers import Reading, Says, all_fit, unbound
from soundstage.grading.oracle import Script, oracle
from soundstage.grading.task import Check, OracleCall, Task, all_checks

Texts = Mapping[str, str]
"""Right text of an argument → the wrong one that stands for something else."""


@dataclass(frozen=True, slots=True)
class Made:
    """A call as the oracle made it: everything filled in. Of a call made for `each` of several items, `label` has the number."""

    label: str
    app: str
    tool: str
    effect: str
    schema: Mapping[str, Any]
    arguments: dict[str, Any]
    reply: Any
    changes: tuple[Change, ...]

    @property
    def writes(self) -> bool:
        return self.effect != "read"

    @property
    def outward(self) -> bool:
        """Whether it told people something."""
        return any(c["entity"] in meaning_of(self.app).outward for c in self.changes)

    def call(self, **changed: Any) -> OracleCall:
        """The same call for a script, perhaps with other `arguments`, another `tool` or `label`."""
        made = replace(self, **changed)
        return OracleCall.model_validate(
            {"as": made.label, "call": f"{made.app}/{made.tool}", "with": made.arguments},
        )


@dataclass(frozen=True, slots=True)
class Mistaken:
    """What may be taken for something else: which kind of mistake it is, what is meant, what it is taken for, and the texts."""

    operator: str
    meant: str
    taken_for: str
    texts: Texts


@dataclass(frozen=True, slots=True)
class Other:
    """Another call that did the same to the same state as the made one of that label."""

    label: str
    call: OracleCall
    how: str


@dataclass(frozen=True, slots=True)
class Scene:
    """A task whose oracle was played.

    `binds` is what its checks bound, `came_true` the step that made each true. `others` are calls that come to the same as a made
    one, `refused` arguments with which a made call is refused, `undone` calls that take back what a made one created,
    `elsewhere` where a made one can be made once more. `reads` are further reads of the session's apps, `writes` series of
    writing calls drawn at random, `besides` one of each app that changes something. `known_texts` is what people wrote in the
    world, in plain form.
    """

    task: Task
    made: tuple[Made, ...]
    evidence: Evidence
    binds: Mapping[str, Any]
    came_true: Mapping[str, int] = field(default_factory=dict)
    mistaken: Sequence[Mistaken] = ()
    others: Sequence[Other] = ()
    refused: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    undone: Mapping[str, OracleCall] = field(default_factory=dict)
    reads: Sequence[OracleCall] = ()
    writes: Sequence[tuple[OracleCall, ...]] = ()
    besides: Sequence[OracleCall] = ()
    elsewhere: Mapping[str, Mistaken] = field(default_factory=dict)
    known_texts: Sequence[str] = ()

    @property
    def writing(self) -> list[Made]:
        return [m for m in self.made if m.writes and m.changes]

    def script(self, name: str, calls: Sequence[OracleCall] | None = None, answer: str | None = None) -> Script:
        """The oracle's run as it was made, with other calls or another answer."""
        whole = oracle(self.task)
        kept = tuple(m.call() for m in self.made) if calls is None else tuple(calls)
        return Script(name, kept, whole.answer if answer is None else answer, whole.outcome)

    def instead(self, label: str, *calls: OracleCall) -> tuple[OracleCall, ...]:
        """The made calls, with others in place of one."""
        return tuple(c for m in self.made for c in (calls if m.label == label else (m.call(),)))

    def reading(self, app: str = "") -> Reading:
        """How matchers read values of this run."""
        reading = Reading(self.evidence.zone, self.evidence.now, self.evidence.ids, dict(self.binds))
        reading.app = app
        return reading

    def spoken(self) -> Iterator[tuple[Made, Check, Says]]:
        """Each made call that put a text where a check looks at what it says: the call, the check, what it is to say."""
        for check in all_checks(self.task):
            if check.created is None:
                continue
            told = [m for m in check.where.values() if isinstance(unbound(m), Says)]
            if len(told) != 1:
                continue
            app, entity = check.created.app, check.created.entity
            text, reading = self.evidence.text_of(app, entity), self.reading(app)
            for made in self.made:
                rows = [c["after"] for c in made.changes if c["entity"] == entity and c["op"] == "insert"]
                whole = [self.evidence.with_parents(app, entity, dict(row)) for row in rows if row]
                if made.app == app and any(all_fit(check.where, row, text, reading) for row in whole):
                    matcher = unbound(told[0])
                    assert isinstance(matcher, Says)
                    yield made, check, matcher

    def said_by_call(self, reading: Reading) -> dict[str, list[Fact]]:
        """What each made call that spoke has to say, for all the checks that listen to it: by the call's label."""
        found: dict[str, list[Fact]] = {}
        for made, _, says in self.spoken():
            reading.app = made.app
            found.setdefault(made.label, []).extend(facts(says, reading))
        return found

    def answered(self) -> Iterator[tuple[Check, Says]]:
        """Each check on what the answer says."""
        for check in all_checks(self.task):
            if check.answer is not None and isinstance(matcher := unbound(check.answer), Says):
                yield check, matcher
