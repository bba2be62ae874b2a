"""Comparing a call's changes with the recorded ones."""

from __future__ import annotations

from typing import Any

import pytest

from soundstage.contexts.engine.journal import Change
from soundstage.synthesis.fidelity.effects import Aftermath, Difference, difference
from soundstage.synthesis.fidelity.masks import mask, not_masks
from soundstage.synthesis.fidelity.report import run
from soundstage.synthesis.fidelity.traces import Expected, read_traces
from tests.conftest import shared_file

TASK = {"guid": "t-1", "summary": "Polish the lens", "description": "", "status": "todo"}


def change(op: Any, entity: str, key: str, before: Any = None, after: Any = None) -> Change:
    return Change(app="lark", entity=entity, id=key, op=op, before=before, after=after)


def compared(aftermath: Aftermath, **expect: Any) -> Difference:
    return difference("lark", Expected.model_validate({"ok": True, "response": "", **expect}), aftermath)


def made(**members: Any) -> Aftermath:
    row = {**TASK, **members}
    return Aftermath([change("insert", "task", row["guid"], after=row)], {"task": [row]})


def effects(what: str = "created", **members: Any) -> dict[str, Any]:
    return {"effects": {"task": [{"change": what, **members}]}}


def test_a_created_object_is_compared_by_its_recorded_values_without_its_drawn_id() -> None:
    assert compared(made(), **effects(guid="t-77", summary="Polish the lens")) == Difference()
    (finding,) = compared(made(), **effects(guid="t-77", summary="Light the lamp")).findings
    assert finding == 'effects: created task has {"summary":"Polish the lens"}, recorded {"summary":"Light the lamp"}'


def test_a_recorded_id_is_mapped_to_ours_wherever_it_occurs() -> None:
    link = made(parent_task_guid="t-1", members=[{"id": "t-1"}])
    assert compared(link, **effects(guid="t-77", parent_task_guid="t-77", members=[{"id": "t-77"}])).findings == []
    assert compared(link, **effects(guid="t-77", parent_task_guid="t-78")).findings != []


def test_values_that_vary_in_the_reply_may_vary_in_the_object() -> None:
    expect = effects(summary="Polish the lens", created_at="1")
    assert compared(made(created_at="2"), **expect).findings != []
    assert compared(made(created_at="2"), **expect, volatile=["$.task.created_at"]).findings == []


def test_only_recorded_named_values_are_compared() -> None:
    to, date = {"name": "To", "value": "ana@example.com"}, {"name": "Date", "value": "Friday"}
    mine = made(headers=[date, to])
    assert compared(mine, **effects(headers=[to])).findings == []
    assert compared(mine, **effects(headers=[{**to, "value": "bo@example.com"}])).findings != []
    assert compared(mine, **effects(headers=[to, {"name": "Cc", "value": "bo@example.com"}])).findings != []


@pytest.mark.parametrize(
    ("changes", "expect", "finding"),
    [
        ([], effects(), "effects: no task was created, recorded one more"),
        ([], effects("deleted", guid="t-1"), "effects: no task was deleted, recorded t-1"),
        (
            [change("delete", "task", "t-1", before=TASK)],
            {"effects": {"task": []}},
            "effects: task t-1 was deleted, which is not recorded",
        ),
        (
            [change("insert", "task", "t-1", after=TASK)],
            {"effects": {}},
            "effects: task t-1 was created, which is not recorded",
        ),
        (
            [change("update", "task", "t-1", {"summary": "Old"}, {"summary": "Polish the lens"})],
            effects("updated", guid="t-1", summary="New"),
            'effects: updated task has {"summary":"Polish the lens"}, recorded {"summary":"New"}',
        ),
    ],
)
def test_missing_and_additional_changes_are_reported(changes: Any, expect: Any, finding: str) -> None:
    assert compared(Aftermath(changes, {"task": [TASK]}), **expect).findings == [finding]


def test_a_change_made_by_the_app_itself_is_not_an_effect() -> None:
    touched = change("update", "task", "t-1", {"updated_at": "1"}, {"updated_at": "2"})
    assert compared(Aftermath([touched], {"task": [TASK]}), effects={}) == Difference()


def test_values_that_cannot_be_compared_are_noted() -> None:
    assert compared(made(), effects={"lamp": []}).remarks == ["expect.effects: lark has no entity 'lamp' to compare"]
    difference = compared(made(), **effects(colour="red"))
    assert (difference.findings, difference.remarks) == ([], ["expect.effects: lark's task has no 'colour' to compare"])


def test_the_state_afterwards_is_compared_key_by_key() -> None:
    after = Aftermath((), {"task": [TASK]})
    assert compared(after, state_after={"tasks": {"t-1": {"summary": "Polish the lens"}, "t-2": None}}) == Difference()
    assert compared(after, state_after={"task": {"t-1": None, "t-2": {"summary": ""}}}).findings == [
        "state after: task t-1 is there, recorded otherwise",
        "state after: task t-2 is not there, recorded otherwise",
    ]
    (finding,) = compared(after, state_after={"task": {"t-1": {"summary": "Light the lamp"}}}).findings
    assert finding == 'state after: task t-1 has {"summary":"Polish the lens"}, recorded {"summary":"Light the lamp"}'


@pytest.mark.parametrize(
    ("entry", "text", "hidden"),
    [
        ("line starting 'Now:'", "a\nNow: 7:42\nb", "a\n•••\nb"),
        ("Current: line", "Requested: X\nCurrent: Y 1.0", "Requested: X\n•••"),
        ("text after the colon", "failed. reason: closed", "failed. reason:•••"),
        ("every number and timestamp", "hits 3 at 2026-11-20T08:02:56.814Z", "hits ••• at •••"),
        ("cache info line (age) if present", "None found.\n\n*Fresh API response*", "None found.•••"),
        ("cache info line (age) if present", "None found.", "None found."),
        ("$ (model text)", "Hello", "•••"),
        ("ids, href", {"id": 1, "href": "x", "rel": "self"}, {"id": "•••", "href": "•••", "rel": "self"}),
        (
            r"system label set and order; re:\d+ labels",
            "Found 3 labels:\nSystem Labels:\nSENT\nINBOX\n\nUser Labels:\nHome",
            "Found •••:\nSystem Labels:\n•••\n\nUser Labels:\nHome",
        ),
        ("what the moon does; re:\\d", "phase 3", "phase 3"),
    ],
)
def test_the_recorders_volatile_words_hide_their_values(entry: str, text: Any, hidden: Any) -> None:
    assert mask(text, [entry]) == hidden


def test_every_volatile_entry_of_the_recordings_is_understood() -> None:
    files = sorted(shared_file("traces").glob("*.jsonl"))
    lines = [line for file in files for line in read_traces(file)[0]]
    assert [problem for line in lines for problem in not_masks(line.trace.expect.volatile)] == []


async def test_notions_changes_equal_the_recorded_ones() -> None:
    report = await run([shared_file("traces", "notion.jsonl")])
    looked = [j for j in report.judged if j.line.trace.expect.effects is not None]
    assert len(looked) == 14
    assert [finding for j in looked for finding in j.comparison.findings] == []
    assert [problem.text for problem in report.problems] == []
