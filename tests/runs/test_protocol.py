"""The protocol of runners: leases, heartbeats, submissions, and lost attempts."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from tests.runs.conftest import DRY_RUN, ERRAND, Agent, Runner, Stage, read

Solve = Callable[[Agent, str], str]


def test_a_trial_is_leased_solved_submitted_and_graded(stage: Stage, solve: Solve) -> None:
    runner = stage.begin()
    trial, agent = runner.take()
    task = read(ERRAND)
    assert trial["instruction"] == task.instruction
    assert (trial["user"], trial["apps"], trial["attempt"]) == ("lin_yue", ["lark"], 1)
    assert trial["now"] == "2026-11-20T09:00:00+08:00"
    assert trial["limits"] == {"calls": 20, "minutes": 10}
    answer = solve(agent, ERRAND)
    usage = {"input_tokens": 1200, "output_tokens": 80, "cost_usd": 0.01}
    assert runner.submit(trial, answer, usage=usage).status_code == 202
    [result] = stage.results(runner)
    assert (result["success"], result["score"], result["ended"]) == (True, 1.0, "answered")
    assert (result["calls"], result["tools"]) == (6, "all")
    assert result["usage"] == {**usage, "turns": None, "reported_by": "runner"}
    assert stage.run(runner)["state"] == "done"
    assert stage.run(runner)["complete"]


def test_an_empty_submission_scores_zero(stage: Stage) -> None:
    runner = stage.begin()
    trial, _ = runner.take()
    runner.submit(trial, outcome="gave_up")
    assert [(r["score"], r["outcome"]) for r in stage.results(runner)] == [(0.0, "gave_up")]


def test_a_lease_returns_the_requested_number_and_204_when_nothing_is_left(stage: Stage) -> None:
    runner = stage.begin(k=3)
    first = runner.lease(2)
    assert len(first) == 2
    assert len(runner.lease(2)) == 1
    assert runner.lease() == []  # nothing is free, but leased trials may still be lost
    for trial in [*first, *[t for t in stage.trials(runner) if t["id"] not in {f["trial"] for f in first}]]:
        handed = {"trial": trial.get("trial") or trial["id"], "attempt": 1}
        assert runner.submit(handed).status_code == 202
    assert runner.post("lease").status_code == 204


def test_a_runner_that_disconnects_while_waiting_is_leased_nothing(stage: Stage) -> None:
    runner = stage.begin()
    trial, _ = runner.take()
    headers = {"Authorization": f"Bearer {runner.token}"}
    with pytest.raises(httpx2.TimeoutException):
        httpx2.post(f"{stage.url}/run/lease", json={"wait_s": 20}, headers=headers, timeout=0.5)
    runner.submit(trial, error="the container was evicted")
    time.sleep(1.2)  # longer than the polling interval of a waiting lease
    assert [t["state"] for t in stage.trials(runner)] == ["queued"]


def test_a_runner_can_wait_for_a_free_trial(stage: Stage) -> None:
    runner = stage.begin()
    trial, _ = runner.take()
    later = threading.Timer(0.3, lambda: runner.submit(trial, error="the container was evicted"))
    later.start()
    begun = time.monotonic()
    [again] = runner.lease(wait_s=20)
    later.join()
    assert (again["trial"], again["attempt"]) == (trial["trial"], 2)
    assert time.monotonic() - begun < 20


def test_concurrent_runners_never_get_the_same_trial(stage: Stage) -> None:
    runner = stage.begin(k=12)
    with ThreadPoolExecutor(6) as pool:
        taken = [t["trial"] for trials in pool.map(lambda _: runner.lease(2), range(8)) for t in trials]
    assert len(taken) == len(set(taken)) == 12


def test_a_repeated_submission_is_accepted_and_changes_nothing(stage: Stage, solve: Solve) -> None:
    runner = stage.begin()
    trial, agent = runner.take()
    answer = solve(agent, ERRAND)
    assert runner.submit(trial, answer).status_code == 202
    before = stage.results(runner)
    assert runner.submit(trial, "Something else, in the week after.", outcome="gave_up").status_code == 202
    assert stage.results(runner) == before


def test_an_older_attempt_is_refused(stage: Stage) -> None:
    runner = stage.begin()
    trial, agent = runner.take()
    runner.submit(trial, error="the network broke")
    [again] = runner.lease()
    assert again["attempt"] == 2
    late = runner.submit(trial, "It is done.")
    assert late.status_code == 409
    assert "attempt 1" in late.json()["error"]
    assert agent.call("lark_calendar_v4_calendar_primary").status_code == 410


def test_the_effects_of_a_lost_attempt_disappear_with_its_session(stage: Stage, solve: Solve) -> None:
    runner = stage.begin()
    trial, lost = runner.take()
    solve(lost, ERRAND)
    runner.submit(trial, error="the container was evicted")
    [again] = runner.lease()
    runner.submit(again, "Nothing was in the calendar.")
    [result] = stage.results(runner)
    assert (result["calls"], result["score"]) == (0, 0.0)


def test_an_expired_lease_goes_to_the_next_runner_with_a_fresh_session(stage: Stage) -> None:
    runner = stage.begin()
    trial, silent = runner.take()
    stage.in_registry("UPDATE trial SET until_ms = 0 WHERE id = ?", trial["trial"])
    [again] = runner.lease(wait_s=20)
    assert (again["trial"], again["attempt"]) == (trial["trial"], 2)
    assert again["mcp"]["url"] != trial["mcp"]["url"]
    assert runner.post(f"trials/{trial['trial']}/heartbeat", {"attempt": 1}).json() == {"cancel": True}
    assert silent.call("lark_calendar_v4_calendar_primary").status_code == 410


def test_a_heartbeat_extends_the_lease_and_reports_a_cancellation(stage: Stage) -> None:
    runner = stage.begin()
    trial, _ = runner.take()
    stage.in_registry("UPDATE trial SET until_ms = until_ms - 60000 WHERE id = ?", trial["trial"])
    assert runner.post(f"trials/{trial['trial']}/heartbeat", {"attempt": 1}).json() == {"cancel": False}
    stage.api("POST", f"/runs/{runner.run}/stop")
    assert runner.post(f"trials/{trial['trial']}/heartbeat").json() == {"cancel": True}


def test_calls_of_the_agent_extend_the_lease_too(stage: Stage) -> None:
    runner = stage.begin()
    trial, agent = runner.take()
    stage.in_registry("UPDATE trial SET until_ms = 0 WHERE id = ?", trial["trial"])
    assert agent.call("lark_calendar_v4_calendar_primary", useUAT=True).status_code == 200
    time.sleep(2.5)  # one round of the lease check, in which a silent attempt would be leased again
    assert [(t["state"], t["attempt"]) for t in stage.trials(runner)] == [("open", 1)]


def test_an_infrastructure_failure_is_retried_twice_and_then_counts_as_infra(stage: Stage) -> None:
    runner = stage.begin()
    for attempt in (1, 2, 3):
        [trial] = runner.lease()
        assert trial["attempt"] == attempt
        assert runner.submit(trial, error=f"worker {attempt} was killed").status_code == 202
    assert runner.post("lease").status_code == 204
    [result] = stage.results(runner)
    assert (result["ended"], result["success"], result["error"]) == ("infra", False, "worker 3 was killed")
    shown = stage.run(runner)
    assert shown["progress"]["ended"] == {"infra": 1}
    assert shown["success"] == 0.0  # it stays in the denominator
    assert not shown["complete"]


def test_a_submission_not_graded_when_its_gateway_was_killed_is_graded_once(stage: Stage, solve: Solve) -> None:
    runner = stage.begin(durability="durable")
    trial, agent = runner.take()
    handed = {"attempt": 1, "outcome": "done", "answer": solve(agent, ERRAND), "usage": None}
    stage.in_registry(
        "UPDATE trial SET state = 'closing', ended = 'answered', submission = ? WHERE id = ?",
        json.dumps(handed),
        trial["trial"],
    )
    [result] = stage.until_done(runner)
    assert result["success"]
    assert runner.submit(trial, "Once more.").status_code == 202
    assert stage.results(runner) == [result]


def test_a_lost_session_is_an_infrastructure_failure(stage: Stage) -> None:
    runner = stage.begin(durability="durable")
    trial, _ = runner.take()
    [shown] = stage.trials(runner)
    for file in (stage.data / "sessions").glob(f"{shown['session']}*"):
        file.unlink()
    assert runner.submit(trial, "It is done.").status_code == 202
    [again] = runner.lease(wait_s=5)
    assert (again["trial"], again["attempt"]) == (trial["trial"], 2)


def test_a_stopped_run_leases_nothing_and_grades_open_trials(stage: Stage, solve: Solve) -> None:
    runner = stage.begin(k=2)
    _, agent = runner.take()
    solve(agent, ERRAND)
    shown = stage.api("POST", f"/runs/{runner.run}/stop").json()
    assert shown["state"] == "stopped"
    assert runner.post("lease").status_code == 204
    [result] = stage.until_done(runner)
    assert (result["ended"], result["success"]) == ("stopped", True)
    assert stage.run(runner)["progress"]["ended"] == {"stopped": 2}
    assert not stage.run(runner)["complete"]
    assert agent.call("lark_calendar_v4_calendar_primary").status_code == 410


def test_a_full_gateway_sends_a_retry_after(stage: Stage, tmp_path: Path) -> None:
    from soundstage.gateway.settings import Settings
    from tests.runs.conftest import TOKEN, serve

    server, thread, port = serve(Settings(data=tmp_path, token=TOKEN, built=stage.worlds, max_sessions=1))
    try:
        full = Stage(f"http://127.0.0.1:{port}", tmp_path, stage.worlds)
        runner = full.begin(k=3)
        assert len(runner.lease(3)) == 1  # one trial per free session
        refused = runner.post("lease")
        assert refused.status_code == 429
        assert int(refused.headers["Retry-After"]) > 0
        assert Counter(t["state"] for t in full.trials(runner)) == {"open": 1, "queued": 2}
    finally:
        server.should_exit = True
        thread.join()


def test_one_run_token_opens_no_other_run(stage: Stage) -> None:
    runner, other = stage.begin(), stage.begin()
    trial, _ = runner.take()
    stranger = Runner(stage.url, runner.run, other.token)
    assert stranger.submit(trial).status_code == 404
    assert stranger.post(f"trials/{trial['trial']}/heartbeat").status_code == 404
    assert [t["state"] for t in stage.trials(runner)] == ["open"]


def test_every_combination_is_a_trial_and_pairs_have_one_seed(stage: Stage) -> None:
    runner = stage.begin(ERRAND, DRY_RUN, k=2, faults=["off", "adversarial"], seed=7)
    trials = stage.trials(runner)
    assert len(trials) == 2 * 2 * 2
    seeds = {(t["task"], t["k"]): set[int]() for t in trials}
    for t in trials:
        seeds[t["task"], t["k"]].add(t["seed"])
    assert all(len(pair) == 1 for pair in seeds.values())
    assert len({seed for pair in seeds.values() for seed in pair}) == 4
    again = stage.begin(ERRAND, DRY_RUN, k=2, faults=["off", "adversarial"], seed=7)
    assert [t["seed"] for t in stage.trials(again)] == [t["seed"] for t in trials]
