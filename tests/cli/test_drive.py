"""`soundstage runs drive`: agents that come along show what a run can tell, and what is under way can be stopped."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Gateway, clean_environment, run_here, soundstage_command, start_gateway, stop_gateway
from tests.runs.drive.fake import gone

TOKEN = "of-the-control-plane"
TASKS = ("studio/errand", "studio/three-diets", "studio/sign-off-by-qiu-min", "studio/deposit-for-bamboo-gate")


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory, worlds_folder: Path) -> Iterator[Gateway]:
    data = tmp_path_factory.mktemp("driven")
    (data / "worlds").symlink_to(worlds_folder)
    started = start_gateway(data, "--token", TOKEN)
    yield started
    stop_gateway(started)


def runs(gateway: Gateway, *arguments: str) -> Any:
    environment = {"SOUNDSTAGE_URL": gateway.url, "SOUNDSTAGE_TOKEN": TOKEN}
    done = run_here("runs", *arguments, "--data", str(gateway.data), "--json", environment=environment)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def driven(gateway: Gateway, agent: str, *options: str, tasks: tuple[str, ...] = TASKS) -> list[dict[str, Any]]:
    """The trials of a run that the agent has worked on."""
    run = runs(gateway, "start", *tasks, "--agent-name", agent, *options)["id"]
    runs(gateway, "drive", run, "--agent", agent, "--jobs", "2")
    trials: list[dict[str, Any]] = runs(gateway, "show", run)["trials"]
    assert {t["ended"] for t in trials} == {"answered"}
    return trials


def mean(trials: list[dict[str, Any]]) -> float:
    return float(sum(t["score"] for t in trials)) / len(trials)


@pytest.mark.long
def test_the_oracle_solves_everything_and_whoever_does_nothing_earns_nothing(gateway: Gateway) -> None:
    assert all(t["success"] for t in driven(gateway, "oracle", "-k", "2"))
    for idle in ("null", "reads"):
        assert [t["score"] for t in driven(gateway, idle)] == [0.0] * len(TASKS)


@pytest.mark.long
def test_refusing_is_worth_something_only_where_there_was_something_to_refuse(gateway: Gateway) -> None:
    scores = {t["task"]: t["score"] for t in driven(gateway, "refuser")}
    assert {task for task, score in scores.items() if score > 0} <= {"studio/deposit-for-bamboo-gate"}


@pytest.mark.long
def test_the_more_often_deeds_go_wrong_the_lower_the_score(gateway: Gateway) -> None:
    few, some, all_of_them = (driven(gateway, f"noisy:{share}", "-k", "4") for share in ("0.15", "0.5", "1"))
    assert 1 > mean(few) > mean(some) > mean(all_of_them)
    assert not any(t["success"] for t in all_of_them)
    assert [t["score"] for t in few] == [t["score"] for t in driven(gateway, "noisy:0.15", "-k", "4")]


@pytest.mark.long
def test_whoever_tries_again_comes_through_faults_that_others_fail_by(gateway: Gateway) -> None:
    trials = driven(gateway, "oracle-retry", "-k", "3", "--faults", "off,adversarial")
    assert all(t["success"] for t in trials)
    by_pair: dict[tuple[str, int], set[int]] = {}
    for trial in trials:
        by_pair.setdefault((trial["task"], trial["k"]), set()).add(trial["seed"])
    assert all(len(seeds) == 1 for seeds in by_pair.values())
    plain = driven(gateway, "oracle", "-k", "3", "--faults", "adversarial")
    assert not all(t["success"] for t in plain)


SLEEPS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(os.getpid(), child.pid, file=open({file!r}, "a"), flush=True)
time.sleep(600)
"""


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "kill"])
def test_a_driver_that_is_stopped_ends_its_agents_and_the_run_can_go_on(
    gateway: Gateway, tmp_path: Path, number: signal.Signals
) -> None:
    run = runs(gateway, "start", "studio/errand", "-k", "2")["id"]
    pids, agent = tmp_path / "pids", tmp_path / "agent.py"
    agent.write_text(SLEEPS.format(file=str(pids)))
    command = [*soundstage_command(), "runs", "drive", run, "--agent", shlex.join([sys.executable, str(agent)])]
    mine = {**clean_environment(), "SOUNDSTAGE_URL": gateway.url, "SOUNDSTAGE_TOKEN": TOKEN}
    driver = subprocess.Popen(command, env=mine, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not pids.exists() or len(pids.read_text().splitlines()) < 2:
        assert driver.poll() is None
    driver.send_signal(number)
    _, told = driver.communicate(timeout=60)
    assert driver.returncode == 130
    assert "are given back" in told
    assert all(gone(int(pid)) for pid in pids.read_text().split())
    assert runs(gateway, "show", run)["progress"]["queued"] == 2
    assert runs(gateway, "drive", run, "--agent", "oracle")["success"] == 1.0


@pytest.mark.long
def test_what_is_nobodys_fault_is_tried_three_times_and_told_by_the_exit_code(gateway: Gateway) -> None:
    run = runs(gateway, "start", "studio/errand")["id"]
    environment = {"SOUNDSTAGE_URL": gateway.url, "SOUNDSTAGE_TOKEN": TOKEN}
    overloaded = "sh -c 'echo the model is overloaded >&2; exit 75'"
    done = run_here("runs", "drive", run, "--agent", overloaded, environment=environment)
    assert done.exit_code == 1
    assert done.stdout.count("comes again: the model is overloaded") == 3
    (trial,) = runs(gateway, "show", run)["trials"]
    assert (trial["ended"], trial["attempt"], trial["success"]) == ("infra", 3, False)


@pytest.mark.long
def test_a_gateway_that_is_killed_in_mid_run_is_waited_for_and_no_trial_is_lost(
    tmp_path: Path, worlds_folder: Path
) -> None:
    (tmp_path / "worlds").symlink_to(worlds_folder)
    killed = start_gateway(tmp_path, "--token", TOKEN)
    run = runs(killed, "start", *TASKS, "-k", "4")["id"]
    command = [*soundstage_command(), "runs", "drive", run, "--agent", "oracle-retry", "--jobs", "2"]
    mine = {**clean_environment(), "SOUNDSTAGE_URL": killed.url, "SOUNDSTAGE_TOKEN": TOKEN}
    driver = subprocess.Popen(command, env=mine, stdout=subprocess.PIPE, text=True)
    assert driver.stdout is not None
    for _ in range(3):
        driver.stdout.readline()
    killed.process.kill()
    killed.process.wait()
    started = start_gateway(tmp_path, "--token", TOKEN, port=int(killed.url.rpartition(":")[2]))
    try:
        told = driver.stdout.read()
        assert driver.wait(300) == 0, told
        shown = runs(started, "show", run)
        lines = started.api(
            "GET", f"/runs/{run}/results", headers={"Authorization": f"Bearer {TOKEN}"}
        ).text.splitlines()
    finally:
        stop_gateway(started)
    assert shown["success"] == 1.0, told
    assert sorted((t["task"], t["k"]) for t in map(json.loads, lines)) == sorted(
        (t, k) for t in TASKS for k in range(1, 5)
    )


@pytest.mark.long
def test_a_gateway_without_a_token_gives_no_trials_away(tmp_path: Path, worlds_folder: Path) -> None:
    (tmp_path / "worlds").symlink_to(worlds_folder)
    open_to_all = start_gateway(tmp_path)
    try:
        started = run_here("runs", "start", "studio/errand", "--data", str(tmp_path))
        assert started.exit_code == 0, started.output
        refused = run_here("runs", "drive", "--last", "--agent", "null", "--data", str(tmp_path))
    finally:
        stop_gateway(open_to_all)
    assert refused.exit_code == 1
    assert "start it with --token" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--agent", "null"], "name the run, or give --last"),
        (["--last", "r_1", "--agent", "null"], "name the run, or give --last"),
    ],
)
def test_which_run_is_asked_for(arguments: list[str], told: str, tmp_path: Path) -> None:
    done = run_here("runs", "drive", *arguments, "--data", str(tmp_path))
    assert done.exit_code == 1
    assert told in done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ("noisy:2", "P from 0 to 1"),
        ("oracle:fast", "no agent 'oracle:fast' comes along; known: oracle"),
        ("no-such-program", "there is no program 'no-such-program'"),
    ],
)
def test_an_agent_that_there_is_not_is_told_before_anything_is_leased(gateway: Gateway, agent: str, told: str) -> None:
    run = runs(gateway, "start", "studio/errand")["id"]
    environment = {"SOUNDSTAGE_URL": gateway.url, "SOUNDSTAGE_TOKEN": TOKEN}
    done = run_here("runs", "drive", run, "--agent", agent, environment=environment)
    assert done.exit_code == 1
    assert told in done.stderr
    assert runs(gateway, "show", run)["progress"]["queued"] == 1
