"""Judgements are combined, and count only if the judges agree with people."""

from __future__ import annotations

import pytest

from soundstage.grading.judge_questions import Judgement
from soundstage.grading.task import Question, Task
from soundstage.runs.judges import agreement, cohens_kappa, combined_judgements, questions_of
from soundstage.runs.sealed import Sealed


def judgement(value: bool | int | None, trial: str = "tr_1", model: str = "a") -> Judgement:
    return Judgement(
        run="r",
        trial=trial,
        task="t",
        question="q",
        model=model,
        prompt_digest="",
        evidence_digest="",
        value=value,
        reason="",
    )


def test_yes_no_uses_the_majority_and_scales_the_median_and_missing_ones_are_counted() -> None:
    judgements = [judgement(True), judgement(True), judgement(False), judgement(None)]
    assert combined_judgements(judgements) == ({("tr_1", "q"): True}, 1)
    assert combined_judgements([judgement(True), judgement(False)])[0] == {("tr_1", "q"): False}
    assert combined_judgements([judgement(2), judgement(9), judgement(8)])[0] == {("tr_1", "q"): 8.0}


@pytest.mark.parametrize(
    ("both_yes", "only_judge", "only_person", "both_no", "kappa"),
    [(20, 5, 10, 15, 0.4), (25, 0, 0, 25, 1.0), (10, 10, 10, 10, 0.0), (10, 0, 0, 0, None)],
)
def test_kappa_equals_textbook_values(
    both_yes: int, only_judge: int, only_person: int, both_no: int, kappa: float | None
) -> None:
    pairs = [(True, True)] * both_yes + [(True, False)] * only_judge
    pairs += [(False, True)] * only_person + [(False, False)] * both_no
    assert cohens_kappa(pairs) == (None if kappa is None else pytest.approx(kappa))


def test_judges_are_relied_on_only_with_enough_agreeing_labels() -> None:
    labels = {(f"tr_{i}", "q"): i % 2 == 0 for i in range(120)}
    assert agreement(labels, labels) == {"labels": 120, "kappa": 1.0, "tau": None, "relied_on": True}
    assert not agreement(labels, dict(list(labels.items())[:99]))["relied_on"]
    other = {place: value if i % 3 else not value for i, (place, value) in enumerate(labels.items())}
    assert not agreement(labels, other)["relied_on"]
    numbers: dict[tuple[str, str], bool | float] = {(f"tr_{i}", "q"): float(i % 11) for i in range(110)}
    assert agreement(numbers, numbers)["tau"] == pytest.approx(1.0)


def test_a_judge_is_asked_about_a_sealed_trial(trials: list[Sealed], task: Task) -> None:
    clear = Question(id="clear", question="Is the message clear?", about="told")
    (one,) = questions_of(trials[1], task.model_copy(update={"judged": (clear,)}))
    assert (one["trial"], one["id"], len(one["rows"])) == ("tr_02", "clear", 1)
    assert "15:30" in str(one["rows"])
