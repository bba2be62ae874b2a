"""Judgements of several judges, and whether they can be relied on. They stand in `judged.jsonl` and in no score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from scipy import stats
from typing_extensions import TypedDict

from soundstage.grading.judged import Judgement, Shown, shown
from soundstage.grading.task import Task
from soundstage.runs.sealed import Sealed, evidence_of

ENOUGH_LABELS = 100
AGREEMENT = 0.6
"""Judges are shown who agree with people at least so much, over so many verdicts that people labelled."""


class Asked(Shown):
    """A question about a trial, for whoever judges."""

    run: str
    trial: str
    task: str


class Agreement(TypedDict):
    """How judges agree with people: Cohen's kappa for yes and no, Kendall's tau-b for numbers; None where it cannot be told.
    `relied_on` says that it is enough, over enough labels.
    """

    labels: int
    kappa: float | None
    tau: float | None
    relied_on: bool


def asked(sealed: Sealed, task: Task) -> list[Asked]:
    """The questions of a task about one trial, with what a judge is shown."""
    header = sealed.header
    return [
        Asked(**one, run=header.run, trial=header.trial, task=header.task)
        for one in shown(task, evidence_of(sealed, task))
    ]


Place = tuple[str, str]
"""Trial, question."""


def decided(judgements: Iterable[Judgement]) -> tuple[dict[Place, bool | float], int]:
    """What several judges say together: yes or no by majority (a tie is no), numbers by their median; and how many judgements
    are missing because they could not be read.
    """
    votes: dict[Place, list[bool | int]] = {}
    missing = 0
    for one in judgements:
        if one["value"] is None:
            missing += 1
        else:
            votes.setdefault((one["trial"], one["question"]), []).append(one["value"])
    return {place: _together(held) for place, held in votes.items()}, missing


def _together(values: Sequence[bool | int]) -> bool | float:
    if all(isinstance(v, bool) for v in values):
        return sum(values) * 2 > len(values)
    return float(median(values))


def agreement(judged: Mapping[Place, bool | float], labels: Mapping[Place, bool | float]) -> Agreement:
    """How judges agree with the labels of people, over what both have said something about."""
    both = [(judged[place], labels[place]) for place in judged if place in labels]
    yes_no = [(bool(a), bool(b)) for a, b in both if isinstance(b, bool)]
    numbers = [(float(a), float(b)) for a, b in both if not isinstance(b, bool)]
    kappa, tau = cohens_kappa(yes_no), _tau(numbers)
    known = [v for v in (kappa, tau) if v is not None]
    relied_on = len(both) >= ENOUGH_LABELS and bool(known) and min(known) >= AGREEMENT
    return Agreement(labels=len(both), kappa=kappa, tau=tau, relied_on=relied_on)


def cohens_kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Agreement beyond chance: (observed − by chance) / (1 − by chance). None where chance alone agrees always."""
    if not pairs:
        return None
    n = len(pairs)
    observed = sum(a == b for a, b in pairs) / n
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(first[v] * second[v] for v in (True, False)) / n**2
    return None if chance == 1 else (observed - chance) / (1 - chance)


def _tau(pairs: Sequence[tuple[float, float]]) -> float | None:
    if len(pairs) < 2:
        return None
    found = float(stats.kendalltau([a for a, _ in pairs], [b for _, b in pairs]).statistic)
    return None if found != found else found  # not a number where one of the two never varies
