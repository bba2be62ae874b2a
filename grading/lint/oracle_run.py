"""The oracle's run of a task and the results of experiments, which operators work on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from soundstage.contexts.apps import meaning_of
from soundstage.contexts.engine.journal import Change
from soundstage.grading.checks import Check, CreatedCheck, answer_matcher
from soundstage.grading.evidence import Evidence
from soundstage.grading.lint.wording import Fact, facts
from soundstage.grading.matchers import Reading, Says, all_fit, without_bind
from soundstage.grading.oracle import Script, oracle
from soundstage.grading.task import OracleCall, Task, all_checks

Texts = Mapping[str, str]
"""Right text of an argument → the wrong one for something else."""


@dataclass(frozen=True, slots=True)
class PlayedCall:
    """A call as the oracle made it, with all references resolved; `label` contains the index of a call made for `each` item."""

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
        """Whether the tool may change state."""
        return self.effect != "read"

    @property
    def outward(self) -> bool:
        """Whether the call sent something to people."""
        return any(c["entity"] in meaning_of(self.app).outward for c in self.changes)

    def call(self, **changed: Any) -> OracleCall:
        """Return the call for a script, optionally with other `arguments`, another `tool` or `label`."""
        made = replace(self, **changed)
        return OracleCall.model_validate(
            {"as": made.label, "call": f"{made.app}/{made.tool}", "with": made.arguments},
        )


@dataclass(frozen=True, slots=True)
class Confusion:
    """A possible confusion: its kind, the intended thing, the confused one, and the texts of both."""

    operator: str
    meant: str
    taken_for: str
    texts: Texts


@dataclass(frozen=True, slots=True)
class Substitute:
    """Another call that had the same effect on the same state as the oracle's call of that label."""

    label: str
    call: OracleCall
    how: str


@dataclass(frozen=True, slots=True)
class OracleRun:
    """A task whose oracle was played.

    Attributes:
        binds: The values that its checks bound.
        came_true: The step in which each check became true.
        others: Calls with the same effect as one of the oracle's.
        refused: Arguments with which a call of the oracle fails.
        undone: Calls that delete what a call of the oracle created.
        elsewhere: Other targets of a call of the oracle.
        reads: Further reads of the session's apps.
        writes: Series of random writing calls.
        besides: One changing call for each app.
        known_texts: The texts that people wrote in the world, in plain form.
    """

    task: Task
    made: tuple[PlayedCall, ...]
    evidence: Evidence
    binds: Mapping[str, Any]
    came_true: Mapping[str, int] = field(default_factory=dict)
    mistaken: Sequence[Confusion] = ()
    others: Sequence[Substitute] = ()
    refused: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    undone: Mapping[str, OracleCall] = field(default_factory=dict)
    reads: Sequence[OracleCall] = ()
    writes: Sequence[tuple[OracleCall, ...]] = ()
    besides: Sequence[OracleCall] = ()
    elsewhere: Mapping[str, Confusion] = field(default_factory=dict)
    known_texts: Sequence[str] = ()

    @property
    def writing(self) -> list[PlayedCall]:
        """The calls of the oracle that changed something."""
        return [m for m in self.made if m.writes and m.changes]

    def script(self, name: str, calls: Sequence[OracleCall] | None = None, answer: str | None = None) -> Script:
        """Return the oracle's run, optionally with other calls or another answer."""
        whole = oracle(self.task)
        chosen = tuple(m.call() for m in self.made) if calls is None else tuple(calls)
        return Script(name, chosen, whole.answer if answer is None else answer, whole.outcome)

    def instead(self, label: str, *calls: OracleCall) -> tuple[OracleCall, ...]:
        """Return the oracle's calls with one replaced by others."""
        return tuple(c for m in self.made for c in (calls if m.label == label else (m.call(),)))

    def reading(self, app: str = "") -> Reading:
        """Return the context in which matchers read values of this run."""
        reading = Reading(self.evidence.zone, self.evidence.now, self.evidence.ids, dict(self.binds))
        reading.app = app
        return reading

    def spoken(self) -> Iterator[tuple[PlayedCall, Check, Says]]:
        """Yield each call whose text a check reads: the call, the check, the expected text."""
        for check in all_checks(self.task):
            if not isinstance(check, CreatedCheck):
                continue
            texts = [m for m in check.where.values() if isinstance(without_bind(m), Says)]
            if len(texts) != 1:
                continue
            app, entity = check.created.app, check.created.entity
            text, reading = self.evidence.text_of(app, entity), self.reading(app)
            for made in self.made:
                rows = [c["after"] for c in made.changes if c["entity"] == entity and c["op"] == "insert"]
                whole = [self.evidence.with_parents(app, entity, dict(row)) for row in rows if row]
                if made.app == app and any(all_fit(check.where, row, text, reading) for row in whole):
                    matcher = without_bind(texts[0])
                    assert isinstance(matcher, Says)
                    yield made, check, matcher

    def facts_by_call(self, reading: Reading) -> dict[str, list[Fact]]:
        """Return the facts that each call has to state for all checks that read its text, by the call's label."""
        result: dict[str, list[Fact]] = {}
        for made, _, says in self.spoken():
            reading.app = made.app
            result.setdefault(made.label, []).extend(facts(says, reading))
        return result

    def answered(self) -> Iterator[tuple[Check, Says]]:
        """Yield each check on the text of the answer."""
        for check in all_checks(self.task):
            answer = answer_matcher(check)
            if answer is not None and isinstance(matcher := without_bind(answer), Says):
                yield check, matcher
