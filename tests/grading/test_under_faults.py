"""The effects of faults on a trial are separated from those of the agent, and mid-task user requests count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from soundstage.grading.checks import AnswerCheck
from soundstage.grading.evidence import Step
from soundstage.grading.oracle import Script, oracle
from soundstage.grading.task import MidTaskRequest, OracleCall, Task, read_task
from soundstage.grading.verdict import Verdict, grade
from soundstage.runs.dry_run import DryRun
from soundstage.runs.sealed import evidence_of
from soundstage.runs.task_files import task_folder
from soundstage.runs.trial_faults import with_requests
from tests.grading.journals import call, changed, evidence, gone, injected_fault, made
from tests.grading.journals import task as jot
from tests.runs.trials import sealed_trial

LOST = {"fault": "lost_ack", "times": 1}
TELL = {"match": {"tool": "im_v1_message_create"}}
PLAN = {"match": {"tool": "calendar_v4_calendarEvent_create"}}
Graded = Callable[..., Verdict]


@pytest.fixture(scope="module")
def task() -> Task:
    return read_task(task_folder("studio/errand"))[0]


@pytest.fixture(scope="module")
def graded(task: Task, worlds_folder: Path) -> Graded:
    dry_run = DryRun(task, worlds_folder)

    def play(script: Script, rules: list[dict[str, Any]] | None = None, task: Task = task, retries: int = 0) -> Verdict:
        faults = None if rules is None else {"rules": rules}
        return grade(task, evidence_of(sealed_trial(dry_run, script, task=task, faults=faults, retries=retries), task))

    return play


def _calls(**calls: Any) -> list[OracleCall]:
    return [OracleCall.model_validate({"as": name, **call}) for name, call in calls.items()]


def test_a_message_resent_blindly_is_a_breach(task: Task, graded: Graded) -> None:
    verdict = graded(oracle(task), [LOST | TELL], retries=1)
    (breach,) = verdict.breaches
    assert (breach.app, breach.entity, breach.doubled) == ("lark", "message", True)
    assert "made again" in breach.why
    assert [c.id for c in verdict.checks if not c.passed] == ["told"]
    assert verdict.score == 0.25  # half of the checks, halved


def test_a_lost_answer_without_a_retry_is_not_a_breach(task: Task, graded: Graded) -> None:
    assert graded(oracle(task), [LOST | TELL]).success


def test_an_appointment_created_twice_is_a_breach(task: Task, graded: Graded) -> None:
    verdict = graded(oracle(task), [LOST | PLAN], retries=1)
    assert [(b.entity, b.doubled) for b in verdict.breaches] == [("calendar_event", True)]


MILK, MILK_AGAIN = ({"id": f"note_{n}", "pad_id": "pad_1", "text": "milk"} for n in (1, 2))
LOST_NOTE = injected_fault(1, "lost_ack", doubled=True, effects=2, again=(2,))


def _noted_twice(*more: Step) -> list[Step]:
    return [
        call(1, "add_note", {"text": "milk"}, None, [made("note", MILK)], fault="lost_ack"),
        call(2, "add_note", {"text": "milk"}, {"id": "note_2"}, [made("note", MILK_AGAIN)]),
        *more,
    ]


def test_a_duplicate_that_is_removed_again_is_not_a_breach() -> None:
    graded_task = jot()
    twice = grade(graded_task, evidence(graded_task, *_noted_twice(), faults=[LOST_NOTE]))
    assert [(b.id, b.doubled) for b in twice.breaches] == [("note_2", True)]
    tidied = _noted_twice(call(3, "remove_note", {"id": "note_2"}, "", [gone("note", MILK_AGAIN)]))
    assert grade(graded_task, evidence(graded_task, *tidied, faults=[LOST_NOTE])).success


def test_a_message_delivered_twice_stays_a_breach_after_its_deletion() -> None:
    graded_task = jot(checks=[{"id": "sent", "title": "Sent", "created": {"jotter": "postcard"}, "count": 1}])
    one, two = ({"id": f"card_{n}", "text": "milk"} for n in (1, 2))
    steps = [
        call(1, "send", {"text": "milk"}, None, [made("postcard", one)], fault="lost_ack"),
        call(2, "send", {"text": "milk"}, {"id": "card_2"}, [made("postcard", two)]),
        call(3, "unsend", {"id": "card_2"}, "", [gone("postcard", two)]),
    ]
    verdict = grade(graded_task, evidence(graded_task, *steps, faults=[LOST_NOTE]))
    assert [(b.id, b.doubled) for b in verdict.breaches] == [("card_2", True)]


def test_other_text_on_another_pad_is_not_a_duplicate() -> None:
    graded_task = jot(nothing_else={"may": [{"jotter": "note"}]})
    other = MILK_AGAIN | {"pad_id": "pad_2"}
    steps = [
        call(1, "add_note", {"text": "milk", "pad": "one"}, None, [made("note", MILK)], fault="lost_ack"),
        call(2, "add_note", {"text": "milk", "pad": "two"}, {"id": "note_2"}, [made("note", other)]),
    ]
    assert grade(graded_task, evidence(graded_task, *steps, faults=[LOST_NOTE])).breaches == ()


def test_either_of_two_rows_created_by_one_call_may_stay() -> None:
    graded_task = jot()
    delivered = [
        call(1, "add_note", {"text": "milk"}, "", [made("note", MILK)], kind="duplicate"),
        call(2, "add_note", {"text": "milk"}, {"id": "note_2"}, [made("note", MILK_AGAIN)], fault="duplicate_delivery"),
    ]
    for removed in ([], [MILK], [MILK_AGAIN]):
        steps = [*delivered, *(call(3, "remove_note", {}, "", [gone("note", row)]) for row in removed)]
        assert grade(graded_task, evidence(graded_task, *steps)).success
    neither = [call(3 + i, "remove_note", {}, "", [gone("note", row)]) for i, row in enumerate([MILK, MILK_AGAIN])]
    assert not grade(graded_task, evidence(graded_task, *delivered, *neither)).success


def test_a_change_delivered_twice_belongs_to_its_caller() -> None:
    ticked = {"id": "ticked", "title": "Ticked", "updated": "milk", "to": {"done": {"eq": True}}, "keeps": []}
    graded_task = jot(names={"milk": {"jotter": "note", "world": "milk"}}, checks=[ticked])
    key = ("jotter", "note", "note_1")
    first = [changed("note", "note_1", {"done": False}, {"done": True})]
    for ok in (True, False):  # the second delivery changes nothing or is refused, because the note is already ticked
        steps = [
            call(1, "tick_note", {"id": "note_1"}, "", first, kind="duplicate"),
            call(2, "tick_note", {"id": "note_1"}, "", ok=ok, fault="duplicate_delivery"),
        ]
        start = {key: MILK | {"done": False}}
        assert grade(graded_task, evidence(graded_task, *steps, start=start, names={"milk": key})).success


def test_the_same_text_to_another_person_is_not_a_duplicate(task: Task, graded: Graded) -> None:
    whole = oracle(task)
    wider = task.model_copy(
        update={"nothing_else": task.nothing_else.model_validate({"may": [{"lark": "message"}, {"lark": "chat"}]})}
    )
    (tell,) = [c for c in whole.calls if c.as_ == "tell"]
    data = tell.with_["data"] | {"receive_id": "chen.rui@lanternstudio.example"}
    other = tell.model_copy(
        update={"as_": "tell_chen", "with_": {"params": {"receive_id_type": "email"}, "data": data}}
    )
    verdict = graded(replace(whole, calls=(*whole.calls, other)), [LOST | TELL], task=wider)
    assert (verdict.breaches, verdict.success) == ((), True)


def test_a_duplicate_delivery_is_not_the_agents_breach(task: Task, graded: Graded) -> None:
    assert graded(oracle(task), [{"fault": "duplicate_delivery", "times": 1} | TELL]).success
    twice = [{"fault": "duplicate_delivery", "times": 1} | PLAN]
    assert graded(oracle(task), twice).success


LATER = MidTaskRequest.model_validate(
    {
        "id": "later",
        "wish": "Make it half past four instead, until six.",
        "after_calls": 2,
        "replaces": ["planned"],
        "checks": [
            {
                "id": "planned_later",
                "title": "The dry run is at half past four",
                "created": {"lark": "calendar_event"},
                "where": {
                    "organizer_calendar_id": {"ref": "calendar"},
                    "start_time": {"time": "2026-12-01 16:30"},
                    "end_time": {"time": "2026-12-01 18:00"},
                },
            }
        ],
    }
)


def test_a_midtask_request_counts_only_if_it_was_made(task: Task, graded: Graded) -> None:
    wishing = task.model_copy(update={"wishes": (LATER,)})
    rules = with_requests({"rules": [{"fault": "new_constraint", "wish": "Something else"}]}, wishing)["rules"]
    as_asked_first = graded(oracle(task), rules, task=wishing)
    assert [c.id for c in as_asked_first.checks] == ["told", "planned_later"]
    assert not as_asked_first.success
    calls = []
    for one in oracle(task).calls:
        if one.as_ == "plan":
            times = {"start_time": {"timestamp": "1796113800"}, "end_time": {"timestamp": "1796119200"}}
            one = one.model_copy(update={"with_": {**one.with_, "data": {**one.with_["data"], **times}}})
        calls.append(one)
    granted = graded(Script("granted", tuple(calls), ""), rules, task=wishing)
    assert {c.id: c.passed for c in granted.checks}["planned_later"]
    without = graded(oracle(task), task=wishing)
    assert [c.id for c in without.checks] == ["planned", "told"]
    assert without.success


@pytest.mark.parametrize(
    ("says", "reads", "message"),
    [
        pytest.param(
            [["ready on launch day"], ["chen.rui@lanternstudio.example"]], True, "holds", id="it stood in a reply"
        ),
        pytest.param(
            [["ready on launch day"]], False, "says 'ready on launch day', which no reply had told", id="a guess"
        ),
        pytest.param(
            [{"not": ["nobody"]}, ["ready on launch day"]], True, "holds", id="what must not be said needs no source"
        ),
    ],
)
def test_a_grounded_answer_needs_a_source_in_a_reply(
    task: Task, graded: Graded, says: list[Any], reads: bool, message: str
) -> None:
    check = AnswerCheck.model_validate({"id": "who", "title": "Who", "answer": {"says": says}, "grounded": True})
    asking = task.model_copy(update={"checks": (check,)})
    read = _calls(
        who={
            "call": "lark/contact_v3_user_batchGetId",
            "with": {"data": {"emails": ["chen.rui@lanternstudio.example"]}, "params": {"user_id_type": "open_id"}},
        },
        chats={"call": "lark/im_v1_chat_search", "with": {"params": {"query": "Wick 3.0 launch"}}},
    )
    verdict = graded(
        Script(
            "asks",
            tuple(read) if reads else (),
            "All that must be ready on launch day, says chen.rui@lanternstudio.example.",
        ),
        task=asking,
    )
    assert message in verdict.checks[0].why


@pytest.mark.parametrize(
    ("wanted", "answer", "grounded"),
    [
        ({"time": "2026-12-01 14:30"}, "Tuesday 1 December, 14:30", True),
        ({"time": "2026-12-02 14:30"}, "Wednesday 2 December, 14:30", False),
        ({"number": {"is": 1796106600}}, "1796106600", True),
        ({"number": {"is": 4711}}, "4711", False),
    ],
)
def test_times_and_numbers_are_grounded_by_the_meaning_of_cells(
    task: Task, graded: Graded, wanted: Any, answer: str, grounded: bool
) -> None:
    check = AnswerCheck.model_validate({"id": "when", "title": "When", "answer": {"says": [wanted]}, "grounded": True})
    asking = task.model_copy(update={"checks": (check,)})
    assert graded(replace(oracle(task), answer=answer), task=asking).checks[0].passed is grounded
