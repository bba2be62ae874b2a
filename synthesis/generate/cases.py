"""Turn recorded calls into cases for a candidate: prior state, call, expected reply, resulting state.

The state before a call is that of the last probes if nothing has been written since. Otherwise the run repeats the writes since
then.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from soundstage.synthesis.fidelity.traces import Expected
from soundstage.synthesis.generate.entities import Entities, Objects, find_entities
from soundstage.synthesis.generate.prompt_level import PromptLevel, level_of
from soundstage.synthesis.generate.sandbox import Run, Step
from soundstage.synthesis.traverse.derive import Derived, expected_of
from soundstage.synthesis.traverse.places import at_path, walk_scalars, without_indices
from soundstage.synthesis.traverse.plan import Planned
from soundstage.synthesis.traverse.recording import Call
from soundstage.synthesis.traverse.replies import content_of

Share = Literal["train", "dev", "held-out"]
_BESIDE = 12
JUDGED = ("success", "refused", "accepted")
"""Outcomes for which the expected behaviour of a simulator is known."""


@dataclass(frozen=True, slots=True)
class Case:
    """One judged call, the last call of `run`.

    Attributes:
        writers: The tools that run before it.
        after: The resulting state; None if no probe shows it.
        signature: The kind of reply.
        why: The reason for which the call was made.
        level: The prompt level from which a generator may see it.
    """

    id: str
    tool: str
    episode: str
    share: Share
    run: Run
    writers: frozenset[str]
    expect: Expected
    after: Mapping[str, Objects] | None
    signature: tuple[str, ...]
    why: str
    level: PromptLevel
    writes: bool
    volatile: Mapping[str, frozenset[str]]
    """Entity → members of its objects that vary between runs, such as ids and times."""

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """The arguments of the judged call."""
        return self.run.calls[-1].arguments


@dataclass(frozen=True, slots=True)
class Episode:
    """The judged calls of an episode, made in sequence, each on the state that the earlier calls produced."""

    name: str
    share: Share
    run: Run
    cases: tuple[tuple[int, Case], ...]
    """(number of the call in the run, the case with its expected result)"""


def entities_of(planned: Planned, derived: Derived) -> Entities:
    """Return the entities that a recording's probes show."""
    readers = _readers(planned)
    moments: list[dict[str, Any]] = []
    for calls in _episodes(derived).values():
        moment: dict[str, Any] = {}
        for call in calls:
            if call.tool in readers and not call.arguments and derived.verdicts[call.id].done:
                moment[call.tool] = content_of(call.reply)
                moments.append(dict(moment))
            elif _writes(planned, derived, call):
                moment = {}
    return find_entities(moments)


def cases_of(planned: Planned, derived: Derived, entities: Entities) -> list[Case]:
    """Return a case for every call whose expected behaviour is known."""
    split = derived.split()
    result: list[Case] = []
    for name, calls in _episodes(derived).items():
        moment: dict[str, Any] = {}
        known: dict[str, Objects] | None = entities.state_of({}) if not entities.readers else None
        known = {} if known is None and planned.plan.resets and not _shows_start(calls, entities) else known
        since: list[Call] = []
        for number, call in enumerate(calls):
            verdict = derived.verdicts[call.id]
            if known is not None and verdict.outcome in JUDGED and call.reply is not None:
                result.append(_case(planned, derived, entities, call, calls[number + 1 :], known, since, split[name]))
            if call.tool in entities.readers and not call.arguments and verdict.done:
                moment[call.tool] = content_of(call.reply)
                if (state := entities.state_of(moment)) is not None:
                    known, since = state, []
            elif _writes(planned, derived, call):
                moment = {}
                since.append(call)
    return result


def episodes_of(planned: Planned, derived: Derived, cases: Sequence[Case], entities: Entities) -> list[Episode]:
    """Return complete episodes from the first call on, without those whose initial state is unknown."""
    by_id = {case.id: case for case in cases}
    result: list[Episode] = []
    for name, calls in _episodes(derived).items():
        first = next((by_id[c.id] for c in calls if c.id in by_id), None)
        if first is None or (len(first.run.calls) > 1 and first.id != calls[0].id):
            continue
        steps = {call.step: i for i, call in enumerate(calls)}
        run = Run([_step(call, calls, steps) for call in calls], first.run.state, calls[0].at or None)
        cases_here: list[tuple[int, Case]] = []
        drawn: set[str] = set()
        for number, call in enumerate(calls):
            if call.id in by_id:
                case = by_id[call.id]
                cases_here.append((number, replace(case, expect=_hidden(case.expect, drawn))))
            drawn |= _drawn(derived, call)
        result.append(Episode(name, first.share, run, tuple(cases_here)))
    return result


def _case(
    planned: Planned, derived: Derived, entities: Entities, call: Call, later: Sequence[Call], known: Mapping[str, Objects],
    since: Sequence[Call], share: str,
) -> Case:  # fmt: skip
    calls = [*since, call]
    steps = {one.step: i for i, one in enumerate(calls)}
    verdict = derived.verdicts[call.id]
    return Case(
        call.id,
        call.tool,
        call.episode,
        share,  # type: ignore[arg-type] # a split has these names alone
        Run([_step(one, calls, steps) for one in calls], known, call.at or None),
        frozenset(one.tool for one in since),
        _hidden(
            Expected.model_validate(
                expected_of(call.reply or {}, done=verdict.done, volatile=derived.volatile.get(call.tool, []))
            ),
            {value for one in since for value in _drawn(derived, one)},
        ),
        _after(planned, derived, entities, later) if verdict.done else (dict(known) if not since else None),
        derived.kinds[call.id],
        call.intent.kind,
        level_of(call.intent, done=verdict.done),
        planned.plan.tools[call.tool].class_ != "read" if call.tool in planned.plan.tools else False,
        _volatile(derived, entities),
    )


def _volatile(derived: Derived, entities: Entities) -> dict[str, frozenset[str]]:
    result: dict[str, frozenset[str]] = {}
    for draft in entities.drafts:
        masks = {mask for tool, _ in draft.shown for mask in derived.volatile.get(tool, ())}
        places = {f"{path}[*].{column.name}": column.name for _, path in draft.shown for column in draft.columns}
        result[draft.name] = frozenset(name for place, name in places.items() if place in masks)
    return result


def _after(planned: Planned, derived: Derived, entities: Entities, later: Sequence[Call]) -> dict[str, Objects] | None:
    moment: dict[str, Any] = {}
    for call in later:
        if call.tool in entities.readers and not call.arguments and derived.verdicts[call.id].done:
            moment[call.tool] = content_of(call.reply)
            if (state := entities.state_of(moment)) is not None:
                return state
        elif _writes(planned, derived, call):
            return None
    return None


def _step(call: Call, calls: Sequence[Call], steps: Mapping[int, int]) -> Step:
    """Convert a recorded call to a step of a run.

    References to replies outside the run are redirected to an earlier reply with the same value.
    """
    refs: dict[str, tuple[int, str]] = {}
    for place, reference in call.refs.items():
        if reference.change is not None or reference.step >= call.step:
            continue
        if reference.step in steps:
            refs[place] = (steps[reference.step], reference.path)
        else:
            wanted = at_path(call.arguments, place)
            earlier = ((i, one) for i, one in enumerate(calls) if one.step < call.step)
            same = (
                (i, path)
                for i, one in earlier
                for path, value in walk_scalars(content_of(one.reply))
                if value == wanted
            )
            if (origin := next(same, None)) is not None:
                refs[place] = origin
    return Step(call.tool, call.arguments, refs)


def _drawn(derived: Derived, call: Call) -> set[str]:
    """Return the texts in a call's reply that the server generated; they differ in every session."""
    masks = set(derived.volatile.get(call.tool, ()))
    values = walk_scalars(content_of(call.reply)) if call.reply is not None and masks else ()
    return {value for path, value in values if isinstance(value, str) and without_indices(path) in masks}


def _hidden(expect: Expected, drawn: Collection[str]) -> Expected:
    """Mask generated texts in an expected reply of a later call.

    Any generated text is accepted in their places; later calls that use our texts verify which one belongs where.
    """
    masks = {
        without_indices(path)
        for path, value in walk_scalars(expect.response)
        if isinstance(value, str) and value in drawn
    }
    if isinstance(expect.response, str):
        places = [(expect.response.find(value), value) for value in drawn if value in expect.response]
        masks = {f"re:(?<={re.escape(expect.response[max(0, at - _BESIDE) : at])})\\S+" for at, _ in places}
    return expect.model_copy(update={"volatile": [*expect.volatile, *sorted(masks - set(expect.volatile))]})


def _shows_start(calls: Sequence[Call], entities: Entities) -> bool:
    """Whether an episode begins with reads that show its state."""
    return bool(calls) and calls[0].tool in entities.readers and not calls[0].arguments


def _readers(planned: Planned) -> frozenset[str]:
    return frozenset(
        name
        for name, tool in planned.tools.items()
        if planned.plan.tools[name].class_ == "read" and not (tool.get("inputSchema") or {}).get("required")
    )


def _writes(planned: Planned, derived: Derived, call: Call) -> bool:
    declared = planned.plan.tools.get(call.tool)
    return declared is not None and declared.class_ != "read" and derived.verdicts[call.id].outcome not in ("refused",)


def _episodes(derived: Derived) -> dict[str, list[Call]]:
    result: dict[str, list[Call]] = {}
    for call in derived.calls:
        result.setdefault(call.episode, []).append(call)
    return result
