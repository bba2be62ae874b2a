"""Verdicts on the shipped example: solved, half solved, and solved wrongly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from soundstage.grading.oracle import Script, derived_script, oracle, with_text
from soundstage.grading.task import OracleCall, Task, read_task
from soundstage.runs.dry_run import DryRun, Trial
from soundstage.runs.task_files import task_folder

EXAMPLE = "studio/move-the-dry-run"
NEAR_MISSES = {
    "Marta cannot": 0.625,
    "an hour only": 0.25,
    "chat told another time": 0.75,
    "told the offsite chat": 0.375,
    "Notion forgotten": 0.875,
    "a second meeting": 0.125,
    "told twice": 0.75,
    "also in Slack": 0.5,
    "reversed": 0.75,
    "told without saying what": 0.75,
    "only in progress": 0.875,
    "hedge": 0.75,
}


@pytest.fixture(scope="module")
def task() -> Task:
    return read_task(task_folder(EXAMPLE))[0]


@pytest.fixture(scope="module")
def dry_run(task: Task, worlds_folder: Path) -> DryRun:
    return DryRun(task, worlds_folder)


def _failed(trial: Trial) -> set[str]:
    return {c.id for c in trial.verdict.checks if not c.passed} | (
        {"nothing_else"} if trial.verdict.breaches else set()
    )


def test_the_oracle_scores_one(task: Task, dry_run: DryRun) -> None:
    trial = dry_run.try_script(oracle(task))
    assert (trial.verdict.score, trial.verdict.success, len(trial.evidence.calls)) == (1.0, True, 13)
    steps = {c.id: c.step for c in trial.verdict.checks}
    assert steps == {"moved": 9, "told": 10, "ticked": 11, "closed": 13, "answered": None}


def test_doing_nothing_scores_zero(task: Task, dry_run: DryRun) -> None:
    for answer in ("", "Done.", task.oracle_answer):
        trial = dry_run.try_script(Script("idle", (), answer))
        assert (trial.verdict.score, trial.verdict.success) == (0.0, False)


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_a_near_miss_fails_the_check_that_it_targets(task: Task, dry_run: DryRun, name: str) -> None:
    (miss,) = [m for m in task.near_misses if m.name == name]
    trial = dry_run.try_script(derived_script(task, miss))
    assert trial.verdict.score == NEAR_MISSES[name]
    assert set(miss.fails) <= _failed(trial)
    assert not trial.verdict.success


def test_every_near_miss_of_the_example_is_tested(task: Task) -> None:
    assert [m.name for m in task.near_misses] == list(NEAR_MISSES)


@pytest.mark.parametrize(
    "text",
    [
        "Dry run moved to Tue 1 Dec, 2:30 pm, Fresnel.",
        "New time for our rehearsal: 2026-12-01 14:30–16:00",
        "彩排改到12月1日（周二）下午两点半，Fresnel 不变",
        "The dry run was on Thursday 26 November, it is now Tuesday 1 December at 14:30 - 16:00.",
        "@all **Dry run**: 1 December, 14:30",
    ],
)
def test_the_same_answer_in_other_words_passes(task: Task, dry_run: DryRun, text: str) -> None:
    whole = oracle(task)
    calls = tuple(with_text(c, text) if c.as_ == "tell" else c for c in whole.calls)
    assert dry_run.try_script(replace(whole, calls=calls)).verdict.success


def test_the_other_correct_slot_passes_if_it_is_reported_consistently(task: Task, dry_run: DryRun) -> None:
    calls = []
    for call in oracle(task).calls:
        if call.as_ == "move":
            data = {"start_time": {"timestamp": "1796114700"}, "end_time": {"timestamp": "1796120100"}}
            call = call.model_copy(update={"with_": {**call.with_, "data": data}})
        calls.append(with_text(call, "Dry run: Tuesday 1 December, 16:45 to 18:15.") if call.as_ == "tell" else call)
    trial = dry_run.try_script(Script("16:45", tuple(calls), "Tuesday 1 December, 16:45."))
    assert trial.verdict.success, trial.verdict


def test_a_message_to_people_cannot_be_undone(task: Task, dry_run: DryRun) -> None:
    whole = oracle(task)
    message_call = OracleCall(
        **{"as": "said", "call": "slack/slack_post_message", "with": {"channel_id": "C0NZRK4CQJK", "text": "Lunch?"}}
    )  # type: ignore[arg-type]
    trial = dry_run.try_script(replace(whole, calls=(*whole.calls, message_call)))
    assert [(b.app, b.entity, b.op) for b in trial.verdict.breaches] == [("slack", "message", "insert")]
    assert trial.verdict.score == 0.5


def test_a_change_that_is_undone_does_not_count(task: Task, dry_run: DryRun) -> None:
    whole = oracle(task)
    (tick,) = [c for c in whole.calls if c.as_ == "tick"]
    undo = tick.with_["data"] | {"task": {"completed_at": "0"}}
    calls = (*whole.calls, tick.model_copy(update={"as_": "untick", "with_": {**tick.with_, "data": undo}}))
    trial = dry_run.try_script(replace(whole, calls=calls))
    assert _failed(trial) == {"ticked"}
    again = (*calls, tick.model_copy(update={"as_": "tick_again"}))
    assert dry_run.try_script(replace(whole, calls=again)).verdict.success


def test_order_matters_only_if_a_check_requires_it(task: Task, dry_run: DryRun) -> None:
    whole = oracle(task)
    tell = [c.model_copy(update={"after": ()}) for c in whole.calls if c.as_ == "tell"]
    rest = [c for c in whole.calls if c.as_ != "tell"]
    early = Script("told first", (*rest[:2], *tell, *rest[2:]), whole.answer)
    trial = dry_run.try_script(early)
    assert _failed(trial) == {"told"}
    (why,) = [c.why for c in trial.verdict.checks if c.id == "told"]
    assert "before moved" in why


def test_a_repeated_trial_has_the_same_result(task: Task, dry_run: DryRun) -> None:
    one, other = (dry_run.try_script(oracle(task), seed=3) for _ in range(2))
    assert one.verdict == other.verdict
    assert [c.reply for c in one.evidence.calls] == [c.reply for c in other.evidence.calls]
