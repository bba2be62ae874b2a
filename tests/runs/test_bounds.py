"""Limits of a trial's session: only its agent may change it, and the agent must stop in time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from tests.conftest import wait_until
from tests.gateway.agent_requests import refusal
from tests.runs.conftest import ERRAND, Agent, Runner, Stage

READ = "lark_calendar_v4_calendar_primary"
Solve = Callable[[Agent, str], str]

CHANGES: dict[str, tuple[str, str, dict[str, Any] | None]] = {
    "reset": ("POST", "/reset", None),
    "restore to a step": ("POST", "/restore", {"step": 0}),
    "restore a snapshot": ("POST", "/restore", {"snapshot": "snp_0"}),
    "state": ("PUT", "/state?mode=add", {"lark": {"task": [{"guid": "t-1", "summary": "x"}]}}),
    "tree": ("PUT", "/tree?app=lark&mode=add", {"task": {"t-1": {"guid": "t-1", "summary": "x"}}}),
    "clock": ("POST", "/clock", {"mode": "frozen"}),
    "faults": ("PUT", "/faults", {"rules": [{"fault": "timeout"}]}),
    "a call": ("POST", "/calls", {"app": "lark", "tool": "calendar_v4_calendar_primary", "arguments": {}}),
    "a seat": ("POST", "/seats", {"user": "chen_rui"}),
    "deletion": ("DELETE", "", None),
}


def _session(stage: Stage, runner: Runner) -> str:
    [trial] = stage.trials(runner)
    session: str = trial["session"]
    return session


@pytest.mark.parametrize("durability", ["memory", "durable"])
def test_only_its_agent_changes_an_open_trial(stage: Stage, durability: str) -> None:
    runner = stage.begin(durability=durability)
    trial, agent = runner.take()
    agent.call(READ, useUAT=True)
    session = _session(stage, runner)
    before = stage.api("GET", f"/sessions/{session}/journal").text
    for what, (method, path, body) in CHANGES.items():
        refused = stage.api(method, f"/sessions/{session}{path}", json=body)
        assert refused.status_code == 409, (what, refused.text)
        assert "only its agent may change" in refused.json()["error"]
    assert stage.api("GET", f"/sessions/{session}/journal").text == before
    assert agent.call(READ, useUAT=True).status_code == 200
    runner.submit(trial)
    assert stage.results(runner)[0]["calls"] == 2


def test_a_fork_of_an_open_trial_is_a_separate_session_that_may_be_changed(stage: Stage) -> None:
    runner = stage.begin()
    _, agent = runner.take()
    agent.call(READ, useUAT=True)
    fork = stage.api("POST", f"/sessions/{_session(stage, runner)}/fork").json()
    assert stage.api("POST", f"/sessions/{fork['id']}/clock", json={"mode": "frozen"}).status_code == 200
    assert stage.api("POST", f"/sessions/{fork['id']}/reset").status_code == 200
    assert stage.api("DELETE", f"/sessions/{fork['id']}").status_code == 204
    assert [t["state"] for t in stage.trials(runner)] == ["open"]


def test_after_the_submission_the_address_is_closed_and_the_session_can_be_read(stage: Stage) -> None:
    runner = stage.begin()
    trial, agent = runner.take()
    agent.call(READ, useUAT=True)
    runner.submit(trial)
    for closed in (agent.call(READ, useUAT=True), agent.ask("tools/list"), agent.ask("tools/list", app="lark")):
        assert closed.status_code == 410
        assert "expired" in refusal(closed)
    session = _session(stage, runner)
    lines = stage.api("GET", f"/sessions/{session}/journal").text.splitlines()
    assert [json.loads(line)["tool"] for line in lines] == ["calendar_v4_calendar_primary"]
    assert stage.api("GET", f"/sessions/{session}/state?app=lark&entity=task&at=1").status_code == 200
    assert stage.api("DELETE", f"/sessions/{session}").status_code == 204
    assert stage.results(runner)[0]["calls"] == 1  # the sealed trial does not need the session


def test_a_trials_session_is_deleted_if_sessions_are_not_preserved(stage: Stage) -> None:
    runner = stage.begin(keep_sessions=0)
    trial, _ = runner.take()
    runner.submit(trial)
    assert stage.api("GET", f"/sessions/{_session(stage, runner)}").status_code == 410


def test_after_its_last_call_the_address_is_closed_and_the_trial_graded(stage: Stage, solve: Solve) -> None:
    runner = stage.begin(limits={"calls": 6})
    trial, agent = runner.take()
    answer = solve(agent, ERRAND)
    over = agent.call(READ, useUAT=True)
    assert over.status_code == 410
    assert agent.ask("tools/list").status_code == 410
    wait_until(lambda: stage.trials(runner)[0]["ended"] == "limit_calls")
    assert runner.submit(trial, answer, usage={"input_tokens": 9}).status_code == 202
    [result] = stage.results(runner)
    assert (result["ended"], result["outcome"], result["calls"]) == ("limit_calls", "gave_up", 6)
    assert result["usage"]["input_tokens"] == 9
    assert result["success"]  # the rows solve the example task, not the answer
    assert stage.run(runner)["progress"]["ended"] == {"limit_calls": 1}


def test_using_exactly_the_allowed_calls_is_not_a_breach(stage: Stage, solve: Solve) -> None:
    runner = stage.begin(limits={"calls": 6})
    trial, agent = runner.take()
    runner.submit(trial, solve(agent, ERRAND))
    assert [(r["ended"], r["success"]) for r in stage.results(runner)] == [("answered", True)]


def test_searching_and_listing_use_no_calls_and_refused_calls_do(stage: Stage) -> None:
    runner = stage.begin(limits={"calls": 2})
    _, agent = runner.take()
    for _ in range(3):
        assert agent.call("search_tools", query="create a task").status_code == 200
        assert agent.ask("tools/list").status_code == 200
    assert agent.call(READ, nonsense=1).status_code == 200
    assert agent.call("call_tool", name=READ, arguments={"useUAT": True}).status_code == 200
    assert agent.call(READ, useUAT=True).status_code == 410


def test_concurrent_calls_are_counted_exactly(stage: Stage) -> None:
    runner = stage.begin(limits={"calls": 5})
    trial, agent = runner.take()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: agent.call(READ, useUAT=True), range(16)))
    assert sum(a.status_code == 200 and "result" in a.json() for a in answers) == 5
    runner.submit(trial)
    assert stage.results(runner)[0]["calls"] == 5


def test_the_count_of_calls_continues_after_the_context_is_reopened(stage: Stage) -> None:
    runner = stage.begin(durability="durable", limits={"calls": 3})
    _, agent = runner.take()
    agent.call(READ, useUAT=True)
    for file in (stage.data / "sessions").glob(f"{_session(stage, runner)}*"):  # new files, as after a restart
        contents = file.read_bytes()
        file.unlink()
        file.write_bytes(contents)
    assert agent.call(READ, useUAT=True).status_code == 200
    assert agent.call(READ, useUAT=True).status_code == 200
    assert agent.call(READ, useUAT=True).status_code == 410


@pytest.mark.long
def test_after_its_time_the_address_is_closed_and_the_answer_is_ignored(stage: Stage, solve: Solve) -> None:
    runner = stage.begin(limits={"minutes": 0.5})
    trial, agent = runner.take()
    begun = time.monotonic()
    answer = solve(agent, ERRAND)
    assert time.monotonic() - begun < 29
    wait_until(lambda: agent.ask("tools/list").status_code == 410)
    assert runner.submit(trial, answer).status_code == 202
    [result] = stage.results(runner)
    assert (result["ended"], result["outcome"], result["success"]) == ("timeout", "gave_up", True)


@pytest.mark.long
def test_a_trial_whose_runner_vanished_is_graded_shortly_after_its_time(stage: Stage) -> None:
    runner = stage.begin(limits={"minutes": 0.001})
    runner.take()
    [result] = stage.until_done(runner)
    assert result["ended"] == "timeout"


def test_an_expired_and_a_closed_address_give_the_same_answer(stage: Stage) -> None:
    runner = stage.begin()
    trial, agent = runner.take()
    runner.submit(trial)
    made = stage.api("POST", "/sessions", json={"world": "empty", "durability": "memory", "ttl": 0.01}).json()
    time.sleep(0.05)
    expired = Agent(made["mcp_url"]).ask("tools/list")
    closed = agent.ask("tools/list")
    assert (expired.status_code, closed.status_code) == (410, 410)
    assert _without_time(expired) == _without_time(closed)


def _without_time(response: httpx2.Response) -> str:
    return refusal(response).split(" at ")[0] + refusal(response).split(";")[-1]
