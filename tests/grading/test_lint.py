"""The lint can fail: each kind of bad task is reported with the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from soundstage.grading.task import TASK_FILE
from soundstage.runs.lint import is_fresh, lint_task, lint_tasks, write_lines, write_lock
from soundstage.runs.task_files import task_folder

EXAMPLE = "studio/move-the-dry-run"


def _written(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    """Return the folder of a changed copy of the example task."""
    text = (task_folder(EXAMPLE) / TASK_FILE).read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    folder = tmp_path / EXAMPLE
    folder.mkdir(parents=True)
    (folder / TASK_FILE).write_text(text)
    return folder


SMALL = "studio/tick-the-slot"
REFUSED = "{as: look, call: lark/im_v1_message_list, with: {params: {container_id_type: chat, container_id: oc_1}}}"
TICK = """\
task: studio/tick-the-slot
version: 1
title: Tick the slot off
kind: operate
language: en
author: {name: hand}
world: studio
user: lin_yue
apps: [lark]
limits: {calls: 20, minutes: 10}
instruction: |
  The new slot for the dry run has been found. Please tick my to-do for it.
names:
  todo: {lark: task, world: t_slot}
checks:
  - id: ticked
    title: The to-do is done
    updated: todo
    to: {status: {eq: done}}
    keeps: [summary, members]
nothing_else:
  may:
    - {lark: task, row: todo, fields: [completed_at]}
oracle:
  - as: tick
    call: lark/task_v2_task_patch
    with: {path: {task_guid: "@todo"}, data: {task: {completed_at: "1795136700000"}, update_fields: [completed_at]}, useUAT: true}
oracle_answer: "Done."
"""


def _small(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    """Return the folder of a task with one call."""
    text = TICK
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    folder = tmp_path / SMALL
    folder.mkdir(parents=True)
    (folder / TASK_FILE).write_text(text)
    return folder


def test_a_good_task_passes_and_its_lock_belongs_to_this_task_and_world(tmp_path: Path, worlds_folder: Path) -> None:
    folder = _small(tmp_path)
    report = lint_task(folder, worlds_folder)
    assert report.findings == ()
    matrix = report.matrix()
    assert matrix.keys() >= {
        "oracle", "extra reads", "failed calls", "detour", "retries", "null", "stock answer", "reads only", "refuser",
        "random writes", "drop", "wrong row", "wrong time", "collateral", "overwrite", "allowed",
    }  # fmt: skip
    assert all(cell["right"] == cell["runs"] for cell in matrix.values())
    wrong, caught = report.mistakes()
    assert wrong == caught >= 7
    assert matrix["wrong time"]["same"] == matrix["wrong time"]["runs"]  # the time of the tick may change, by `may`
    write_lines(tmp_path / "lint.jsonl", [report])
    lines = [json.loads(line) for line in (tmp_path / "lint.jsonl").read_text().splitlines()]
    assert len(lines) == len(report.results)
    left_out = next(line for line in lines if line["operator"] == "drop")
    assert (left_out["task"], left_out["mutant"], left_out["expected"]) == (SMALL, "without tick", "caught")
    assert (left_out["score"], left_out["success"], left_out["failed"]) == (0, False, ["ticked"])
    write_lock(folder, report)
    assert is_fresh(folder, report.lock["world_fingerprint"])
    assert not is_fresh(folder, "another world")
    (folder / TASK_FILE).write_text((folder / TASK_FILE).read_text() + "# a word\n")
    assert not is_fresh(folder, report.lock["world_fingerprint"])


EITHER = """\
  - id: ticked
    title: The to-do is done, or says so
    any_of:
      - - {id: by_status, title: It is done, updated: todo, to: {status: {eq: done}}, keeps: [summary, members]}
      - - {id: by_name, title: It says so, updated: todo, to: {summary: {says: [slot, found]}}, keeps: [status, members]}
"""
SAID_SO = """\
equivalents:
  - {name: said in its name, set: {tick: {with.data: {task: {summary: The slot is found}, update_fields: [summary]}}}}
oracle:
"""
_TICKED = TICK[TICK.index("  - id: ticked") : TICK.index("nothing_else:")]


def test_an_unused_alternative_is_reported_unless_an_equivalent_uses_it(tmp_path: Path, worlds_folder: Path) -> None:
    finding_text = "checks.ticked: alternative 2 (by_name): no run that solves the task takes it"
    alone = lint_task(_small(tmp_path / "alone", (_TICKED, EITHER)), worlds_folder)
    assert any(finding_text in finding for finding in alone.findings)
    shown = lint_task(_small(tmp_path / "shown", (_TICKED, EITHER), ("oracle:\n", SAID_SO)), worlds_folder)
    assert not any(finding_text in finding for finding in shown.findings)
    [equivalent] = [r for r in shown.results if r.operator == "hand-written equivalent"]
    assert (equivalent.mutant, equivalent.success) == ("said in its name", True)


def test_a_value_that_no_solution_reaches_is_reported(tmp_path: Path, worlds_folder: Path) -> None:
    many = ("{status: {eq: done}}", "{status: {any_of: [{eq: done}, {eq: shelved}]}}")
    report = lint_task(_small(tmp_path, many), worlds_folder)
    assert any("checks.ticked: status: alternative 2: no run that solves" in finding for finding in report.findings)


@pytest.mark.parametrize("name", ["slack/channels_list", "lark/im_v9_nothing", "lark"])
def test_a_required_tool_that_no_session_lists_is_reported(name: str, tmp_path: Path, worlds_folder: Path) -> None:
    report = lint_task(_small(tmp_path, ("names:", f"requires: {{tools: [{name}]}}\nnames:")), worlds_folder)
    assert report.findings == (f"requires.tools: the session lists no tool {name!r}; its apps are lark",)


def test_an_equivalent_that_does_not_solve_the_task_is_reported(tmp_path: Path, worlds_folder: Path) -> None:
    report = lint_task(_small(tmp_path, ("oracle:\n", SAID_SO)), worlds_folder)
    assert any("hand-written equivalent, said in its name: solves the task and scores" in f for f in report.findings)


@pytest.mark.long
def test_the_runs_that_try_a_grader_of_several_apps(tmp_path: Path, worlds_folder: Path) -> None:
    report = lint_task(_written(tmp_path), worlds_folder)
    assert report.findings == ()
    runs = {operator: cell["runs"] for operator, cell in report.matrix().items()}
    assert runs["oracle"] == 6
    assert runs["reorder"] == 20
    assert runs["other wording"] == 16
    assert runs["retries"] == 15
    assert runs["other value"] == 2
    names = {r.mutant for r in report.results}
    assert {"told before moved", "move for calendar Marta Kowalczyk instead of calendar Lin Yue"} <= names


@pytest.mark.long
def test_several_tasks_are_linted_in_parallel(tmp_path: Path, worlds_folder: Path) -> None:
    folders = [
        _small(tmp_path / "one", ("kind: operate", "kind: chat")),
        _small(tmp_path / "two", ("t_slot", "t_slots")),
    ]
    reports = list(lint_tasks(folders, worlds_folder, jobs=2))
    assert [report.green for report in reports] == [False, False]
    assert "kind" in reports[0].findings[0]
    assert "t_slots" in reports[1].findings[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param(
            [("says: [{time: $start}]", "says: [{time: $start}, [launch demo]]")],
            "the instruction itself says 'launch demo'",
            id="a check that is true by itself",
        ),
        pytest.param(
            [("Please move it", "Please move it with lark's calendar_v4_calendarEvent_patch")],
            "names the tool calendar_v4_calendarEvent_patch",
            id="a task that asks for a tool",
        ),
        pytest.param(
            [("world: t_slot", "world: t_slots")],
            "names.todo: the world calls no lark task 't_slots'",
            id="a world key that moved",
        ),
        pytest.param(
            [
                ("    keeps: [properties.Task.title, properties.Owner.people]", "    keeps: []"),
                ("properties.Status.status.name: {eq: Done}", "icon: {not: {eq: x}}"),
            ],
            "claimed by no check and no `may`: update of notion page",
            id="a change of the oracle that no check claims",
            marks=pytest.mark.long,
        ),
        pytest.param(
            [("[dry run, rehearsal, 彩排, 排练]", "[dry run, rehearsal], [bring your umbrellas]")],
            "nothing that an agent can see says 'bring your umbrellas'",
            id="a demand that nobody can know",
            marks=pytest.mark.long,
        ),
        pytest.param(
            [
                (
                    "drop: [done], fails: [closed]",
                    "drop: [find], add: [{as: done, call: notion/notion_find, with: {query: x}}], fails: [closed]",
                )
            ],
            "Notion forgotten: is wrong and passes",
            id="a near miss that passes",
            marks=pytest.mark.long,
        ),
        pytest.param(
            [("fails: [told]}\n  - {name: told the offsite", "fails: [ticked]}\n  - {name: told the offsite")],
            "is to fail ticked, and fails told",
            id="a near miss that another check catches",
            marks=pytest.mark.long,
        ),
        pytest.param(
            [("{lark: chat, world: launch}", "{lark: chat, where: {name: {not: {eq: Lunch}}}}")],
            "`where` fits",
            id="a name that several rows answer to",
        ),
        pytest.param(
            [
                (
                    "  - {name: only in progress, ",
                    "  - {name: nothing done, drop: [tick], fails: [ticked]}\n  - {name: no_such, ",
                ),
                ("fails: [closed]}\n  - {name: hedge", "fails: [ticked]}\n  - {name: hedge"),
            ],
            "no_such: is to fail ticked, and fails closed",
            id="a near miss that was not thought through",
            marks=pytest.mark.long,
        ),
        pytest.param(
            [("limits: {calls: 40", "limits: {calls: 12")],
            "limits.calls: 12 is less than twice",
            id="a limit too small for the oracle",
        ),
        pytest.param(
            [
                (
                    '{from: "2026-12-01 16:30", to: "2026-12-01 17:00"}',
                    '{from: "2026-12-01 16:30", to: "2026-12-01 17:20"}',
                )
            ],
            "checks.moved: nothing that an agent can see leads to 2026-12-01 17:20",
            id="a limit that no tool shows",
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_bad_task_is_reported_with_the_reason(
    tmp_path: Path, worlds_folder: Path, changes: list[tuple[str, str]], message: str
) -> None:
    report = lint_task(_written(tmp_path, *changes), worlds_folder)
    assert not report.green
    assert any(message in finding for finding in report.findings), report.findings


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param(
            [("keeps: [summary, members]", "keeps: [summary, colour]")],
            "checks.ticked: keeps colour, and todo has nothing there: it cannot fail",
            id="a field to keep that is not there",
        ),
        pytest.param(
            [("to: {status: {eq: done}}", "to: {status: {eq: done}, summary: {not: {eq: x}}}")],
            "checks.ticked: summary is not looked at: no wrong run notices that it is gone",
            id="a condition that cannot fail",
        ),
        pytest.param(
            [("to: {status: {eq: done}}", 'to: {status: {eq: done}, completed_at: {eq: "1795136700000"}}')],
            "checks.ticked: completed_at: '1795136700000' is a time; write {time: …}",
            id="a moment written out",
        ),
        pytest.param(
            [
                (
                    'oracle_answer: "Done."',
                    'oracle_answer: "Done."\naccepts: [{mutant: tick some day, because: why not}]',
                )
            ],
            "accepts: there is no run 'tick some day'",
            id="an accepted run that nobody makes",
        ),
        pytest.param(
            [("    - {lark: task, row: todo, fields: [completed_at]}", "    - {lark: task}")],
            "nothing_else.may.0: allows every change of every task",
            id="changes of every to-do are allowed",
        ),
        pytest.param(
            [("kind: operate", "kind: decline")],
            "oracle_outcome: a task of kind decline ends with declined",
            id="a refusal that does not refuse",
        ),
        pytest.param(
            [("kind: operate", "kind: decline"), ('oracle_answer: "Done."', "oracle_outcome: declined")],
            "twin: name a task that differs from this one in little",
            id="a refusal without a twin that is to be done",
        ),
        pytest.param(
            [("author: {name: hand}", "author: {name: hand}\ntwin: tick-no-slot")],
            "twin: there is no task 'tick-no-slot' in studio",
            id="a twin that is not there",
        ),
        pytest.param(
            [
                ("Please tick my to-do for it.", "Please tick my to-do for it and put Xiao on it."),
                ("to: {status: {eq: done}}", "to: {status: {eq: done}, members: {contains: {ref: han_xiao}}}"),
            ],
            "instruction: 'xiao' may be han_xiao or xiao_bo; say the whole name, or let it be a task of kind clarify",
            id="a person of whom there are two",
        ),
        pytest.param(
            [("oracle:\n", f"oracle:\n  - {REFUSED}\n")],
            "oracle.look: lark refused it",
            id="an oracle with a call that is refused",
        ),
        pytest.param(
            [
                (
                    "tick my to-do for it.",
                    "tick my to-do for it: https://example.com/todo?guid=00000000-0000-4000-8000-000000000000",
                )
            ],
            "instruction: the link to 00000000-0000-4000-8000-000000000000 leads to no row",
            id="a link to nothing",
        ),
        pytest.param(
            [("tick my to-do for it.", "tick my to-do for it: https://discord.com/channels/1214110079389324157")],
            "instruction: the link to 1214110079389324157 leads to no row",
            id="a link to a server of an app that the session has not",
        ),
        pytest.param([("calls: 20", "calls: 1")], "limits.calls: 1 is less than twice", id="a limit too small"),
    ],
)
def test_a_bad_small_task_is_reported_with_the_reason(
    tmp_path: Path, worlds_folder: Path, changes: list[tuple[str, str]], message: str
) -> None:
    report = lint_task(_small(tmp_path, *changes), worlds_folder)
    assert any(message in finding for finding in report.findings), report.findings


SAY = """\
task: studio/tick-the-slot
version: 1
title: Say that the scope review is over
kind: operate
language: en
author: {name: hand}
world: studio
user: lin_yue
apps: [slack]
limits: {calls: 20, minutes: 10}
instruction: |
  Please say in #eng that the scope review is over.
names:
  room: {slack: channel, world: c_eng}
checks:
  - id: said
    title: It stands in the channel
    created: {slack: message}
    where: {channel: {ref: room}, text: {says: [[scope review, 范围评审]]}}
oracle:
  - {as: say, call: slack/conversations_add_message, with: {channel_id: "@room", text: The scope review is over.}}
oracle_answer: "It stands in #eng."
"""


@pytest.mark.parametrize(
    ("where", "message"),
    [
        pytest.param("", "", id="whoever says it", marks=pytest.mark.long),
        pytest.param(
            "user: {ref: lin_yue}, ", "other tool, say by slack_post_message: solves the task", id="only one tool's way"
        ),
    ],
)
def test_a_check_that_demands_one_tool_is_reported(
    tmp_path: Path, worlds_folder: Path, where: str, message: str
) -> None:
    folder = tmp_path / SMALL
    folder.mkdir(parents=True)
    (folder / TASK_FILE).write_text(SAY.replace("where: {", "where: {" + where))
    report = lint_task(folder, worlds_folder)
    assert "say by slack_post_message" in {r.mutant for r in report.results}
    assert report.green is not bool(message), report.findings
    assert not message or any(message in finding for finding in report.findings), report.findings


def test_an_invalid_task_file_is_reported(tmp_path: Path, worlds_folder: Path) -> None:
    report = lint_task(_written(tmp_path, ("kind: operate", "kind: chat")), worlds_folder)
    assert "task.yaml:4 kind" in report.findings[0]
