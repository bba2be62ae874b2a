"""Combine judgements of several judges and measure their reliability; `judged.jsonl` stores them, and no score uses them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from typing_extensions import TypedDict

from soundstage.grading.judge_questions import JudgeInput, Judgement, shown
from soundstage.grading.task import Task
from soundstage.runs.sealed import Sealed, evidence_of

ENOUGH_LABELS = 100
AGREEMENT = 0.6
"""Minimum agreement with people's labels for judges to be shown."""


class JudgeQuestion(JudgeInput):
    """A question about a trial, as sent to judges."""

    run: str
    trial: str
    task: str


class Agreement(TypedDict):
    """Agreement of judges with people: Cohen's kappa for yes and no, Kendall's tau-b for numbers; None if undefined.

    `relied_on` is true if the agreement and the number of labels suffice.
    """

    labels: int
    kappa: float | None
    tau: float | None
    relied_on: bool


def questions_of(sealed: Sealed, task: Task) -> list[JudgeQuestion]:
    """Return the questions of a task about one trial, with the judge's input."""
    header = sealed.header
    return [
        JudgeQuestion(**one, run=header.run, trial=header.trial, task=header.task)
        for one in shown(task, evidence_of(sealed, task))
    ]


Place = tuple[str, str]
"""Trial, question."""


def combined_judgements(judgements: Iterable[Judgement]) -> tuple[dict[Place, bool | float], int]:
    """Combine judgements: majority for yes or no (a tie counts as no), median for numbers.

    Returns:
        The combined judgements, and the number of judgements that were unreadable.
    """
    votes: dict[Place, list[bool | int]] = {}
    missing = 0
    for one in judgements:
        if one["value"] is None:
            missing += 1
        else:
            votes.setdefault((one["trial"], one["question"]), []).append(one["value"])
    return {place: _together(values) for place, values in votes.items()}, missing


def _together(values: Sequence[bool | int]) -> bool | float:
    if all(isinstance(v, bool) for v in values):
        return sum(values) * 2 > len(values)
    return float(median(values))


def agreement(judged: Mapping[Place, bool | float], labels: Mapping[Place, bool | float]) -> Agreement:
    """Compute the agreement of judges with people's labels on the questions that both answered."""
    both = [(judged[place], labels[place]) for place in judged if place in labels]
    yes_no = [(bool(a), bool(b)) for a, b in both if isinstance(b, bool)]
    numbers = [(float(a), float(b)) for a, b in both if not isinstance(b, bool)]
    kappa, tau = cohens_kappa(yes_no), _tau(numbers)
    known = [v for v in (kappa, tau) if v is not None]
    relied_on = len(both) >= ENOUGH_LABELS and bool(known) and min(known) >= AGREEMENT
    return Agreement(labels=len(both), kappa=kappa, tau=tau, relied_on=relied_on)


def cohens_kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Return the agreement beyond chance, (observed − by chance) / (1 − by chance); None if chance alone always agrees."""
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
    from scipy import stats  # imported here because it takes a second

    tau = float(stats.kendalltau([a for a, _ in pairs], [b for _, b in pairs]).statistic)
    return None if tau != tau else tau  # not a number if one of the two is constant
