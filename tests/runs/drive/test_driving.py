"""`soundstage runs drive` with the built-in agents, and stopping a run in progress."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.conftest import clean_environment, run_here, soundstage_command, start_gateway, stop_gateway
from tests.runs.conftest import TOKEN, Stage
from tests.runs.drive.fake_gateway import gone

TASKS = ("studio/errand", "studio/three-diets", "studio/sign-off-by-qiu-min", "studio/deposit-for-bamboo-gate")
Trials = list[dict[str, Any]]
FinishedAttempt = Callable[..., Trials]
Drive = Callable[..., Result]


@pytest.fixture
def data(tmp_path: Path, worlds_folder: Path) -> Path:
    """A data folder with built worlds."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "worlds").symlink_to(worlds_folder)
    return tmp_path / "data"


@pytest.fixture
def drive(stage: Stage, data: Path) -> Drive:
    """Runs `soundstage runs drive` with the gateway's token."""
    environment = {"SOUNDSTAGE_URL": stage.url, "SOUNDSTAGE_TOKEN": TOKEN, "SOUNDSTAGE_DATA": str(data)}
    return lambda *options: run_here("runs", "drive", *options, environment=environment)


@pytest.fixture
def driven(stage: Stage, drive: Drive) -> FinishedAttempt:
    """Returns the trials of a run that an agent has worked on: driven(agent, *tasks, k=…, faults=…)."""

    def work(agent: str, *tasks: str, **plan: Any) -> Trials:
        runner = stage.begin(*(tasks or TASKS), **plan)
        done = drive(runner.run, "--agent", agent, "--jobs", "2")
        assert done.exit_code == 0, done.output
        trials = stage.trials(runner)
        assert {t["ended"] for t in trials} == {"answered"}
        return trials

    return work


def mean(trials: Trials) -> float:
    return float(sum(t["score"] for t in trials)) / len(trials)


def test_the_oracle_solves_everything(driven: FinishedAttempt) -> None:
    assert all(t["success"] for t in driven("oracle", TASKS[0], TASKS[3]))


@pytest.mark.parametrize("idle", ["null", "reads"])
def test_an_idle_agent_scores_zero(driven: FinishedAttempt, idle: str) -> None:
    assert [t["score"] for t in driven(idle, *TASKS[:2])] == [0.0, 0.0]


def test_declining_scores_only_for_tasks_that_should_be_declined(driven: FinishedAttempt) -> None:
    scores = {t["task"]: t["score"] for t in driven("refuser")}
    assert {task for task, score in scores.items() if score > 0} <= {"studio/deposit-for-bamboo-gate"}


@pytest.mark.long
def test_more_slips_give_a_lower_score(driven: FinishedAttempt) -> None:
    few, some, all_of_them = (driven(f"noisy:{share}", k=4) for share in ("0.15", "0.5", "1"))
    assert 1 > mean(few) > mean(some) > mean(all_of_them)
    assert not any(t["success"] for t in all_of_them)
    assert [t["score"] for t in few] == [t["score"] for t in driven("noisy:0.15", k=4)]


@pytest.mark.long
def test_a_retrying_agent_survives_faults_that_make_others_fail(driven: FinishedAttempt) -> None:
    trials = driven("oracle-retry", k=6, faults=["off", "adversarial"])
    assert all(t["success"] for t in trials)
    pairs: dict[tuple[str, int], set[int]] = {}
    for trial in trials:
        pairs.setdefault((trial["task"], trial["k"]), set()).add(trial["seed"])
    assert all(len(seeds) == 1 for seeds in pairs.values())
    plain = driven("oracle", k=6, faults=["adversarial"])
    assert not all(t["success"] for t in plain)


SLEEPS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(os.getpid(), child.pid, file=open({file!r}, "a"), flush=True)
time.sleep(600)
"""


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "kill"])
def test_a_stopped_driver_ends_its_agents_and_the_run_can_continue(
    stage: Stage, drive: Drive, tmp_path: Path, number: signal.Signals
) -> None:
    runner = stage.begin(k=2)
    pids, agent = tmp_path / "pids", tmp_path / "agent.py"
    agent.write_text(SLEEPS.format(file=str(pids)))
    command = [*soundstage_command(), "runs", "drive", runner.run, "--agent", shlex.join([sys.executable, str(agent)])]
    mine = {**clean_environment(), "SOUNDSTAGE_URL": stage.url, "SOUNDSTAGE_TOKEN": TOKEN}
    driver = subprocess.Popen(command, env=mine, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not pids.exists() or len(pids.read_text().splitlines()) < 2:
        assert driver.poll() is None
    driver.send_signal(number)
    _, stderr = driver.communicate(timeout=60)
    assert driver.returncode == 130
    assert "are given back" in stderr
    assert all(gone(int(pid)) for pid in pids.read_text().split())
    assert stage.run(runner)["progress"]["queued"] == 2
    assert "success 100.0%" in drive(runner.run, "--agent", "oracle").stdout


def test_an_infrastructure_failure_is_tried_three_times_and_sets_the_exit_code(stage: Stage, drive: Drive) -> None:
    runner = stage.begin()
    done = drive(runner.run, "--agent", "sh -c 'echo the model is overloaded >&2; exit 75'")
    assert done.exit_code == 1
    assert done.stdout.count("comes again: the model is overloaded") == 3
    (trial,) = stage.trials(runner)
    assert (trial["ended"], trial["attempt"], trial["success"]) == ("infra", 3, False)


@pytest.mark.long
def test_a_gateway_killed_during_a_run_is_waited_for_and_no_trial_is_lost(data: Path) -> None:
    killed = start_gateway(data, "--token", TOKEN)
    there = Stage(killed.url, data, data / "worlds")
    runner = there.begin(*TASKS, k=4, durability="durable")
    command = [*soundstage_command(), "runs", "drive", runner.run, "--agent", "oracle-retry", "--jobs", "2"]
    mine = {
        **clean_environment(),
        "SOUNDSTAGE_URL": killed.url,
        "SOUNDSTAGE_TOKEN": TOKEN,
        "SOUNDSTAGE_DATA": str(data),
    }
    driver = subprocess.Popen(command, env=mine, stdout=subprocess.PIPE, text=True)
    assert driver.stdout is not None
    for _ in range(3):
        driver.stdout.readline()
    killed.process.kill()
    killed.process.wait()
    again = start_gateway(data, "--token", TOKEN, port=int(killed.url.rpartition(":")[2]))
    try:
        stdout = driver.stdout.read()
        assert driver.wait(300) == 0, stdout
        shown, lines = there.run(runner), there.results(runner)
    finally:
        stop_gateway(again)
    assert shown["success"] == 1.0, stdout
    assert sorted((t["task"], t["k"]) for t in lines) == sorted((t, k) for t in TASKS for k in range(1, 5))


@pytest.mark.long
def test_a_gateway_without_a_token_leases_no_trials(data: Path) -> None:
    open_to_all = start_gateway(data)
    try:
        started = run_here("runs", "start", "studio/errand", "--data", str(data))
        assert started.exit_code == 0, started.output
        refused = run_here("runs", "drive", "--last", "--agent", "null", "--data", str(data))
    finally:
        stop_gateway(open_to_all)
    assert refused.exit_code == 1
    assert "start it with --token" in refused.stderr


@pytest.mark.parametrize("run", [[], ["--last", "r_1"]])
def test_the_command_requires_a_run(run: list[str], drive: Drive) -> None:
    done = drive(*run, "--agent", "null")
    assert done.exit_code == 1
    assert "name the run, or give --last" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--agent", "noisy:2"], "P from 0 to 1"),
        (["--agent", "oracle:fast"], "there is no built-in agent 'oracle:fast'; known: oracle"),
        (["--agent", "no-such-program"], "there is no program 'no-such-program'"),
        (["--agent", "sh -c true", "--env", "NOT_SET_ANYWHERE"], "it is not set; name a variable"),
    ],
)
def test_an_unknown_agent_is_reported_before_any_lease(
    stage: Stage, drive: Drive, options: list[str], message: str
) -> None:
    runner = stage.begin()
    done = drive(runner.run, *options)
    assert done.exit_code == 1
    assert message in done.stderr
    assert stage.run(runner)["progress"]["queued"] == 1
