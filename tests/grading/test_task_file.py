"""An invalid task file is refused with the file, the line, and a correct form."""

from __future__ import annotations

from pathlib import Path

import pytest

from soundstage.grading.matchers import value_at
from soundstage.grading.task import all_checks, read_task
from soundstage.source import SourceError

TASK = """\
task: studio/water-the-plants
version: 1
title: Water the plants
kind: operate
language: en
author: {name: hand}
world: studio
user: lin_yue
apps: [lark]
instruction: Please tick the plants off.
names:
  todo: {lark: task, world: t_slot}
checks:
  - id: ticked
    title: The to-do is done
    updated: todo
    to: {status: {eq: done}}
    keeps: [summary]
  - id: told
    title: Somebody knows
    created: {lark: message}
    where: {chat_id: {ref: launch}}
    after: ticked
oracle:
  - {as: tick, call: lark/task_v2_task_patch, with: {path: {task_guid: "@todo"}}}
  - {as: tell, call: lark/im_v1_message_create, with: {id: "${tick.id}"}}
near_misses:
  - {name: not ticked, drop: [tick], fails: [ticked]}
"""


def _refused(tmp_path: Path, text: str) -> str:
    (tmp_path / "task.yaml").write_text(text)
    with pytest.raises(SourceError) as refused:
        read_task(tmp_path)
    return str(refused.value)


def test_a_valid_task_is_read(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text(TASK)
    task, _ = read_task(tmp_path)
    assert [c.id for c in task.checks] == ["ticked", "told"]
    assert (task.names["todo"].app, task.names["todo"].entity) == ("lark", "task")
    assert task.checks[1].after == ("ticked",)


@pytest.mark.parametrize(
    ("old", "new", "line", "message_part"),
    [
        ("kind: operate", "kind: operat", 4, "'ask', 'operate', 'clarify' or 'decline'"),
        ("title: Water", "titel: Water", 3, "is not known here"),
        ("{eq: done}", "done", 17, "'done' is not a matcher; write one such as {eq: 'done'}"),
        ("{eq: done}", "{equals: done}", 17, "'equals' is given; kinds: eq, text, says"),
        ("{eq: done}", "{eq: done, text: done}", 17, "a matcher has one kind"),
        ("{eq: done}", '{time: "next week"}', 17, "'next week' is not a time"),
        ("{eq: done}", "{time: {after: $start, by: soon}}", 17, "'soon' is not a duration; valid forms are 90m"),
        ("{eq: done}", "{says: []}", 17, "expected a list of slots"),
        ("{eq: done}", "{number: many}", 17, "'many' is not a number"),
        ("{eq: done}", '{matches: "("}', 17, "is not a regular expression"),
        ("    keeps: [summary]\n", "", 14, "`updated` needs `keeps`"),
        ("updated: todo", "updated: todo\n    deleted: todo", 14, "here is updated and deleted"),
        ("    updated: todo\n", "", 14, "here is nothing"),
        (
            "keeps: [summary]",
            "keeps: [summary]\n    where: {}",
            14,
            "`where` and `count` belong to `created` and `state`",
        ),
        ("keeps: [summary]", "keeps: [summary]\n    kept: []", 19, "requires_check, updated, to, from, keeps"),
        ("updated: todo", "updated: chores", 14, "'chores' is not among `names`: todo"),
        ("after: ticked", "after: tocked", 19, "there is no check 'tocked'; known: ticked, told"),
        ("id: told", "id: ticked", 13, "'ticked' is used twice"),
        ("{lark: message}", "{lark: message, slack: message}", 21, "'lark' and 'slack' are two"),
        ("world: t_slot", "", 12, "either its `world` key or `where`"),
        ("call: lark/im_v1_message_create", "call: im_v1_message_create", 26, "is not an app and a tool"),
        (
            "call: lark/im_v1_message_create",
            "call: slack/slack_post_message",
            26,
            "slack is not among the session's apps",
        ),
        ("drop: [tick]", "drop: [tock]", 28, "the oracle has no call 'tock'"),
        ("fails: [ticked]", "fails: [tacked]", 28, "there is no check 'tacked'"),
    ],
)
def test_a_mistake_is_reported_with_its_line(tmp_path: Path, old: str, new: str, line: int, message_part: str) -> None:
    assert TASK.count(old) >= 1
    message = _refused(tmp_path, TASK.replace(old, new, 1))
    assert message_part in message
    assert f"task.yaml:{line}" in message


WISH = """\
wishes:
  - id: later
    wish: Not before six, please.
    after_calls: 2
    replaces: ticked
    checks:
      - {id: waited, title: It waited, answer: {says: [[six]]}, grounded: true}
judged:
  - {id: polite, question: Is the message polite?, about: told}
"""


def test_midtask_requests_and_questions_are_read(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text(TASK + WISH)
    task, _ = read_task(tmp_path)
    assert [c.id for c in all_checks(task)] == ["ticked", "told", "waited"]
    assert (task.wishes[0].replaces, task.judged[0].scale) == (("ticked",), "yes_no")


@pytest.mark.parametrize(
    ("old", "new", "line", "message_part"),
    [
        ("replaces: ticked", "replaces: tacked", 33, "'tacked' is not a check of the task itself; known: ticked, told"),
        ("id: waited", "id: told", 13, "'told' is used twice"),
        ("after_calls: 2", "after_calls: 0", 32, "greater than or equal to 1"),
        ("about: told", "about: toll", 37, "'toll' is neither `answer` nor a check: ticked, told, waited"),
        ("answer: {says: [[six]]}", "outcome: done", 35, "`grounded` belongs to `answer`"),
    ],
)
def test_a_mistake_in_a_midtask_request_or_question_is_reported_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, message_part: str
) -> None:
    assert old in WISH
    message = _refused(tmp_path, TASK + WISH.replace(old, new, 1))
    assert message_part in message
    assert f"task.yaml:{line}" in message


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        (
            "    keeps: [summary]\n",
            "    keeps: [summary]\n    kept: []\n",
            "task.yaml:19 checks[0].kept: is not known here",
        ),
        ("{eq: done}", "{equals: done}", "task.yaml:17 checks[0].to.status: a matcher has one kind"),
        (
            "    created: {lark: message}\n    where: {chat_id: {ref: launch}}\n",
            "    any_of: [[{id: said, title: Said, outcome: dane}]]\n",
            "task.yaml:21 checks[1].any_of[0][0].outcome: input should be",
        ),
    ],
)
def test_a_mistake_in_a_check_is_one_message_at_its_own_place(tmp_path: Path, old: str, new: str, place: str) -> None:
    assert TASK.count(old) == 1
    message = _refused(tmp_path, TASK.replace(old, new))
    assert len(message.splitlines()) == 1
    assert place in message


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    message = _refused(tmp_path, TASK.replace("{eq: done}", "done").replace("kind: operate", "kind: work"))
    assert len(message.splitlines()) == 2


def test_a_path_reaches_a_header_by_name_and_a_text_in_base64url() -> None:
    mail = {"payload": {"headers": [{"name": "To", "value": "ada@example.org"}], "body": {"data": "6IGU5Lqa"}}}
    assert value_at(mail, "payload.headers.to") == "ada@example.org"
    assert value_at(mail, "payload.headers.Cc") is None
    assert value_at(mail, "payload.body.data.decoded") == "联亚"
    assert value_at({"body": {"data": "no base64!"}}, "body.data.decoded") is None
