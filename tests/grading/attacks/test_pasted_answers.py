"""Pasted answers: every number, raw tool replies, every half hour of a day.

Each attack runs over all tasks whose answer is checked. The tasks in `accepted.yaml` accept the attack today; they are strict
expected failures, so that the change which closes a hole has to remove its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path

import orjson
import pytest
import yaml

from soundstage.grading.checks import answer_matcher
from soundstage.grading.evidence import Evidence
from soundstage.grading.matchers import AnyOf, Matcher, Reading, Says, Slot, TimeIs, without_bind
from soundstage.grading.oracle import oracle
from soundstage.grading.task import Task, all_checks, read_task
from soundstage.grading.texts.limit import MOST_TEXT_BYTES, is_too_long
from soundstage.grading.texts.normalize import normalize
from soundstage.grading.verdict import grade
from soundstage.runs.dry_run import DryRun, Trial
from soundstage.runs.task_files import task_folder, task_folders

ACCEPTED: dict[str, list[str]] = yaml.safe_load((Path(__file__).parent / "accepted.yaml").read_text())
ALL_NUMBERS = " ".join(str(i) for i in range(13_001))


@cache
def _task(name: str) -> Task:
    return read_task(task_folder(name))[0]


@cache
def _solved(name: str, worlds: Path) -> tuple[DryRun, Trial]:
    """Return a task and the trial of its oracle."""
    dry_run = DryRun(_task(name), worlds)
    return dry_run, dry_run.try_script(oracle(_task(name)))


def _slots(matcher: Matcher) -> Iterator[Slot]:
    inner = without_bind(matcher)
    if isinstance(inner, Says):
        yield from inner.slots
    elif isinstance(inner, AnyOf):
        for one in inner.matchers:
            yield from _slots(one)


def _time_slots(task: Task) -> list[TimeIs]:
    """The slots of a task's answer that expect a time."""
    answers = [answer for check in all_checks(task) if (answer := answer_matcher(check)) is not None]
    return [slot for answer in answers for slot in _slots(answer) if isinstance(slot, TimeIs)]


ANSWERED = [
    name
    for name in (f"{folder.parent.name}/{folder.name}" for folder in task_folders())
    if any(answer_matcher(check) is not None for check in all_checks(_task(name)))
]
TIMED = [name for name in ANSWERED if _time_slots(_task(name))]


def _cases(attack: str, names: list[str]) -> list[object]:
    """Return the tasks as parameters. Tasks that accept the attack today are strict expected failures."""
    unknown = set(ACCEPTED[attack]) - set(names)
    assert not unknown, f"accepted.yaml: {attack}: no such tasks: {unknown}"
    hole = pytest.mark.xfail(strict=True, raises=AssertionError, reason="the grader accepts this today")
    return [pytest.param(name, marks=hole if name in ACCEPTED[attack] else ()) for name in names]


def _without_calls(name: str, worlds: Path) -> Evidence:
    """Return the evidence of a trial in which the agent made no calls."""
    solved = _solved(name, worlds)[1].evidence
    return replace(solved, steps=[], calls=[], touched={}, struck=[])


def _numbers_within_the_limit() -> str:
    text = ALL_NUMBERS[:MOST_TEXT_BYTES]
    return text[: text.rindex(" ")]


def test_the_list_of_numbers_to_13000_exceeds_the_length_limit() -> None:
    assert is_too_long(ALL_NUMBERS)
    assert not is_too_long(_numbers_within_the_limit())


@pytest.mark.parametrize("name", _cases("every number", ANSWERED))
def test_an_answer_with_every_number_is_refused(name: str, worlds_folder: Path) -> None:
    evidence = _without_calls(name, worlds_folder)
    for numbers in (ALL_NUMBERS, _numbers_within_the_limit()):
        assert not grade(_task(name), replace(evidence, answer=numbers)).success


@pytest.mark.parametrize("name", _cases("raw replies", ANSWERED))
def test_the_raw_replies_of_the_right_calls_are_refused_as_an_answer(name: str, worlds_folder: Path) -> None:
    _, trial = _solved(name, worlds_folder)
    replies = [r if isinstance(r, str) else orjson.dumps(r).decode() for r in trial.replies.values()]
    assert not grade(_task(name), replace(trial.evidence, answer="\n".join(replies))).success


@pytest.mark.parametrize("name", _cases("every half hour", TIMED))
def test_an_answer_with_every_half_hour_of_the_right_day_is_refused(name: str, worlds_folder: Path) -> None:
    dry_run, trial = _solved(name, worlds_folder)
    reading = Reading(dry_run.zone, trial.evidence.now, trial.evidence.ids)
    times = ", ".join(f"{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 30))
    for slot in _time_slots(_task(name)):
        if limits := slot.limits(reading):
            day = datetime.fromtimestamp(limits[0][0], dry_run.zone).strftime("%Y-%m-%d")
            assert not slot.in_text(normalize(f"{day} {times}"), reading)
