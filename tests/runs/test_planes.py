"""Which routes a run token and a trial's handle open, and which facts neither of them reveals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx2
import orjson
import pytest

from tests.conftest import wait_until
from tests.runs.conftest import DRY_RUN, ERRAND, TOKEN, Stage, read, rehearsal_of

RUNNER_ROUTES = {"/run/lease", "/run/trials/{trial}/heartbeat", "/run/trials/{trial}/submit"}
_PAGES = ("/", "/sessions", "/search", "/sessions/{session}", "/sessions/{session}/try")


def _operations(stage: Stage, **known: str) -> Iterator[tuple[str, str, str]]:
    """Yield every operation of the OpenAPI document: method, declared path, and path with known values filled in."""
    for declared, methods in httpx2.get(f"{stage.url}/openapi.json").json()["paths"].items():
        for method in methods:
            filled = re.sub(r"{(\w+)}", lambda match: known.get(match[1], "x"), declared)
            yield method.upper(), declared, filled


def _refused(response: httpx2.Response) -> bool:
    """Return whether a request was refused for its credential or redirected to the login."""
    return response.status_code == 401 or (
        response.status_code in (303, 307) and "/login" in response.headers["location"]
    )


def test_the_document_has_every_route_of_runs(stage: Stage) -> None:
    declared = {path for _, path, _ in _operations(stage)}
    assert declared >= RUNNER_ROUTES
    assert {path for path in declared if path.startswith("/run/")} == RUNNER_ROUTES
    assert {"/api/runs", "/api/runs/{run}/results", "/api/trials/{trial}", "/api/tasks/{world}/{task}/lint"} <= declared


@pytest.mark.long
def test_a_handle_opens_no_route_of_runs_and_a_run_token_the_three_of_its_run(stage: Stage) -> None:
    runner = stage.begin(k=2)
    trial, _ = runner.take()
    [session] = [t["session"] for t in stage.trials(runner) if t["session"]]
    handle = trial["mcp"]["url"].split("/")[-2]
    known = {"trial": trial["trial"], "run": runner.run, "session_id": session}
    opened: dict[str, set[str]] = {"handle": set(), "run token": set(), "nothing": set(), "control token": set()}
    shown = {"handle": handle, "run token": runner.token, "nothing": None, "control token": TOKEN}
    client = httpx2.Client(base_url=stage.url, timeout=30)
    for method, declared, path in _operations(stage, **known):
        for who, credential in shown.items():
            if who == "control token" and not declared.startswith("/run/"):
                continue  # the other tests cover opened routes
            headers = {} if credential is None else {"Authorization": f"Bearer {credential}"}
            response = client.request(method, path, headers=headers, json={})
            if not _refused(response):
                opened[who].add(declared)
    assert opened["handle"] == opened["nothing"] == opened["control token"] == set()
    assert opened["run token"] == RUNNER_ROUTES


def test_neither_opens_a_page_the_metrics_or_the_other_plane(stage: Stage) -> None:
    runner = stage.begin()
    trial, agent = runner.take()
    [session] = [t["session"] for t in stage.trials(runner)]
    handle = trial["mcp"]["url"].split("/")[-2]
    pages = [page.format(session=session) for page in _PAGES]
    for credential in (handle, runner.token):
        for path in [*pages, "/metrics"]:
            response = httpx2.get(f"{stage.url}{path}", headers={"Authorization": f"Bearer {credential}"})
            assert _refused(response), (path, response.status_code)
    # A run token is not a handle either.
    by_token = httpx2.post(f"{stage.url}/mcp", headers={"Authorization": f"Bearer {runner.token}"}, json={})
    assert by_token.status_code == 401
    assert agent.ask("tools/list").status_code == 200


def test_an_expired_token_opens_nothing_and_another_one_can_be_created(stage: Stage) -> None:
    runner = stage.begin(token_ttl=0.01)
    wait_until(lambda: runner.post("trials/none/heartbeat").status_code == 401, "the token expires")
    assert runner.post("lease").status_code == 401
    further = stage.api("POST", f"/runs/{runner.run}/tokens")
    assert further.status_code == 201
    again = type(runner)(stage.url, runner.run, further.json()["run_token"])
    assert len(again.lease()) == 1


def test_a_token_is_neither_in_the_data_folder_nor_in_any_view(stage: Stage) -> None:
    runner = stage.begin()
    runner.take()
    shown = [stage.api("GET", path).text for path in ("/runs", f"/runs/{runner.run}", f"/runs/{runner.run}/trials")]
    assert all(runner.token not in text for text in shown)
    contents_of_files = [f.read_bytes() for f in stage.data.rglob("*") if f.is_file()]
    assert all(runner.token.encode() not in contents for contents in contents_of_files)


@pytest.mark.parametrize("faults", ["off", "adversarial"])
def test_no_reply_during_a_trial_reveals_the_grading(stage: Stage, faults: str) -> None:
    runner = stage.begin(DRY_RUN, faults=[faults], limits={"calls": 30})
    trial, agent = runner.take()
    agent.ask("tools/list")
    agent.call("search_tools", query="move an event in a calendar")
    search_reply = agent.replies.pop()  # tools have scores there
    for call in rehearsal_of(DRY_RUN, stage.worlds).task.oracle[:3]:
        agent.call(f"{call.app}_{call.tool}" if call.app == "lark" else call.tool, **call.with_)
    agent.call("slack_channels_list")
    agent.call("no_such_tool")
    runner.post(f"trials/{trial['trial']}/heartbeat", {"attempt": 1})
    runner.submit(trial, "I have looked around.")
    runner.submit(trial, "I have looked around.")
    agent.ask("tools/list")
    agent.call("slack_channels_list")
    runner.post("trials/tr_0/submit", {"attempt": 1})
    runner.post("lease", {"n": 0})
    runner.post("lease")
    replies = "\n".join([*runner.replies, *agent.replies])
    all_replies = replies.replace(orjson.dumps(trial["instruction"]).decode()[1:-1], "")
    assert stage.results(runner)[0]["calls"] >= 4
    for secret in _secrets():
        assert secret not in all_replies, secret
        assert secret not in search_reply or secret == '"score"', secret


def _secrets() -> list[str]:
    """Return the parts of a task that only the grader may see: names, checks, faults, and the texts of its solution."""
    task = read(DRY_RUN)
    texts = [text for call in task.oracle for text in _texts(call.with_) if len(text) > 40 and "{" not in text[:1]]
    message_texts = [
        orjson.loads(t)["text"] for call in task.oracle for t in _texts(call.with_) if t.startswith('{"text"')
    ]
    titles = [c.title for c in task.checks]
    names = [name for name in task.names if "_" in name]
    fixed = [
        task.task,
        task.task.partition("/")[2],
        task.oracle_answer,
        '"score"',
        '"success":',
        "adversarial",
        "oracle",
    ]
    return [*fixed, *titles, *names, *message_texts, *(t for t in texts if not t.startswith("{"))]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, str):
        yield value


def test_task_names_are_shown_only_in_an_open_run(stage: Stage) -> None:
    trial, _ = stage.begin().take()
    assert re.fullmatch(r"t_[0-9a-f]{8}", trial["task"])
    trial, _ = stage.begin(open=True).take()
    assert trial["task"] == ERRAND


def test_trials_are_leased_only_if_the_control_plane_has_a_token(stage: Stage, tmp_path: Any) -> None:
    from soundstage.gateway.settings import Settings
    from tests.runs.conftest import Runner, serve

    server, thread, port = serve(Settings(data=tmp_path, built=stage.worlds))
    try:
        url = f"http://127.0.0.1:{port}"
        made = httpx2.post(f"{url}/api/runs", json={"tasks": [ERRAND]}, timeout=30).json()
        refused = Runner(url, made["id"], made["run_token"]).post("lease")
        assert refused.status_code == 403
        assert "--token" in refused.json()["error"]
    finally:
        server.should_exit = True
        thread.join()
