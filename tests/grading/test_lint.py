"""The lint must be able to fail: each kind of bad task ends red, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from soundstage.grading.task import TASK_FILE
from soundstage.runs.lint import is_fresh, lint_task, write_lock
from soundstage.runs.shelf import task_folder

EXAMPLE = "studio/move-the-dry-run"


def _written(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    """The example as somebody else might have written it."""
    text = (task_folder(EXAMPLE) / TASK_FILE).read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    folder = tmp_path / EXAMPLE
    folder.mkdir(parents=True)
    (folder / TASK_FILE).write_text(text)
    return folder


def test_the_example_is_green_and_its_lock_is_of_this_task_and_world(tmp_path: Path, worlds_folder: Path) -> None:
    folder = _written(tmp_path)
    report = lint_task(folder, worlds_folder)
    assert report.findings == ()
    assert len(report.results) >= 75
    assert {r.operator for r in report.results} >= {
        "oracle",
        "reorder",
        "reads only",
        "drop",
        "hand-written",
        "wrong time",
    }
    write_lock(folder, report)
    assert is_fresh(folder, report.lock["world_fingerprint"])
    assert not is_fresh(folder, "another world")
    (folder / TASK_FILE).write_text((folder / TASK_FILE).read_text() + "# a word\n")
    assert not is_fresh(folder, report.lock["world_fingerprint"])


@pytest.mark.parametrize(
    ("changes", "told"),
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
            "nothing asked for update of notion page",
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
                ("because: when the to-do was ticked is nobody's business}\n", "because: it is}\n"),
                ("mutant: tick an hour later", "mutant: tick some day"),
            ],
            "accepts: there is no run 'tick some day'",
            id="an accepted run that nobody makes",
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_bad_task_is_red_and_the_reason_is_told(
    tmp_path: Path, worlds_folder: Path, changes: list[tuple[str, str]], told: str
) -> None:
    report = lint_task(_written(tmp_path, *changes), worlds_folder)
    assert not report.green
    assert any(told in finding for finding in report.findings), report.findings


def test_a_file_that_is_no_task_is_red_too(tmp_path: Path, worlds_folder: Path) -> None:
    report = lint_task(_written(tmp_path, ("kind: operate", "kind: chat")), worlds_folder)
    assert "task.yaml:4 kind" in report.findings[0]
