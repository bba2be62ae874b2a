"""Judges see rows and the answer; their replies are read strictly and do not affect the score."""

from __future__ import annotations

import pytest

from soundstage.grading.judge_questions import JudgeAnswer, read_answer, shown
from soundstage.grading.task import Question
from soundstage.grading.verdict import grade
from tests.grading.journals import call, evidence, made, task

POLITE = {"id": "polite", "question": "Is the note polite?", "about": "noted"}
NOTE = {"id": "note_1", "pad_id": "pad_1", "text": "milk"}


def test_a_judge_sees_the_rows_of_the_check_and_the_answer() -> None:
    judged_task = task(judged=[POLITE, {"id": "tone", "question": "How friendly is the answer?", "scale": "ten"}])
    steps = [
        call(1, "add_pad", {}, "", [made("pad", {"id": "pad_1"})]),
        call(2, "add_note", {"text": "milk"}, "I have noted it politely", [made("note", NOTE)]),
    ]
    about_rows, about_answer = shown(judged_task, evidence(judged_task, *steps, answer="Noted."))
    assert about_rows["rows"] == [{"app": "jotter", "entity": "note", "before": None, "after": NOTE}]
    assert (about_answer["rows"], about_answer["answer"]) == ([], "Noted.")
    assert "politely" not in str(about_rows)
    other = shown(judged_task, evidence(judged_task, *steps, answer="Noted!"))
    assert other[0]["digest"] != about_rows["digest"]


def test_questions_to_judges_do_not_change_the_verdict() -> None:
    steps = [call(1, "add_note", {"text": "milk"}, "", [made("note", NOTE)])]
    normalize, judged_task = task(), task(judged=[POLITE])
    assert grade(normalize, evidence(normalize, *steps)) == grade(judged_task, evidence(judged_task, *steps))


@pytest.mark.parametrize(
    ("scale", "reply", "read"),
    [
        ("yes_no", '{"value": true, "reason": "it says please"}', JudgeAnswer(True, "it says please")),
        ("ten", '{"value": 7, "reason": "warm"}', JudgeAnswer(7, "warm")),
        ("ten", '{"value": 11, "reason": "warm"}', None),
        ("yes_no", '{"value": "not successful", "reason": ""}', None),
        ("yes_no", "Status: success", None),
        ("yes_no", '{"value": true}', None),
    ],
)
def test_an_invalid_judgement_counts_as_missing(scale: str, reply: str, read: JudgeAnswer | None) -> None:
    question = Question.model_validate({"id": "q", "question": "?", "scale": scale})
    assert read_answer(question, reply) == read
