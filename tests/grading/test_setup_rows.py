"""Rows that a task adds before the agent begins are part of the start: they have names and are judged like any others."""

from __future__ import annotations

from pathlib import Path

import pytest

from soundstage.gateway.faults.schedule import parse as parse_faults
from soundstage.grading.checks import AnswerCheck
from soundstage.grading.oracle import Script, oracle
from soundstage.grading.task import Task, task_of
from soundstage.grading.verdict import grade
from soundstage.runs.dry_run import DryRun, Trial
from soundstage.runs.sealed import evidence_of, from_bytes, to_bytes
from soundstage.source import parse
from tests.runs.trials import sealed_trial

LIST = "/srv/workspace/launch/guests.txt"
TASK = f"""\
task: studio/one-guest-more
version: 1
title: One guest more
kind: operate
language: en
author: {{name: hand}}
world: studio
user: lin_yue
apps: [filesystem]
distractors:
  state:
    disk:
      file: [{{path: {LIST}, text: "Ada\\n"}}]
instruction: |
  Please put Bo on the list of guests.
names:
  guests: {{disk: file, where: {{path: {{eq: {LIST}}}}}}}
checks:
  - id: listed
    title: Bo is on the list
    updated: guests
    to: {{text: {{says: [[Ada], [Bo]]}}}}
    keeps: []
oracle:
  - {{as: put, call: filesystem/write_file, with: {{path: {LIST}, content: "Ada\\nBo\\n"}}}}
oracle_answer: "Done."
"""


@pytest.fixture(scope="module")
def task() -> Task:
    return task_of(parse(TASK, "one-guest-more"))


def _played(task: Task, worlds: Path, content: str) -> Trial:
    script = oracle(task)
    (put,) = script.calls
    dry_run = DryRun(task, worlds)
    made = put.model_copy(update={"with_": {**put.with_, "content": content}})
    return dry_run.try_script(Script("by hand", (made,), script.answer))


def test_a_setup_file_has_a_name_and_its_content_is_the_start(task: Task, worlds_folder: Path) -> None:
    trial = _played(task, worlds_folder, "Ada\nBo\n")
    assert trial.verdict.success
    (history,) = trial.evidence.touched.values()
    assert history.start is not None
    assert history.start["text"] == "Ada\n"


def test_a_wrong_change_of_a_setup_row_is_the_agents_breach(task: Task, worlds_folder: Path) -> None:
    completion_check = AnswerCheck.model_validate(
        {"id": "told", "title": "Says that it is done", "answer": {"says": ["done"]}}
    )
    other = task.model_copy(update={"checks": (completion_check,)})
    trial = _played(other, worlds_folder, "Nobody\n")
    assert [(b.app, b.entity, b.op, b.fields) for b in trial.verdict.breaches] == [
        ("disk", "file", "update", ("text",))
    ]


def test_a_trial_about_a_file_gets_the_same_grade_from_its_sealed_record(task: Task, worlds_folder: Path) -> None:
    dry_run = DryRun(task, worlds_folder)
    sealed = from_bytes(to_bytes(sealed_trial(dry_run, oracle(task))))
    assert grade(task, evidence_of(sealed, task)) == dry_run.try_script(oracle(task), 7).verdict


def test_the_lint_accepts_a_fault_that_removes_a_row_made_by_a_script(task: Task, worlds_folder: Path) -> None:
    made_file = ("disk", "file", "/srv/workspace/out/bo.txt")
    made = oracle(task).calls[0].model_copy(update={"with_": {"path": made_file[2], "content": "Bo\n"}})
    look = made.model_copy(
        update={"as_": "look", "call": "filesystem/list_directory", "with_": {"path": "/srv/workspace/out"}}
    )
    vanishes = parse_faults(
        {"rules": [{"fault": "drift", "change": "file_vanishes", "match": {"tool": "list_directory"}, "times": 1}]}
    )
    dry_run = DryRun(task, worlds_folder)
    trials = [dry_run.try_script(Script("by hand", (made, look), ""), seed, faults=vanishes) for seed in range(20)]
    took = [t for t in trials if t.evidence.touched[made_file].end is None]  # the seed decides which file is removed
    assert took
    assert {t.gave_up for t in took} == {"a fault changed what was made, disk file /srv/workspace/out/bo.txt"}
