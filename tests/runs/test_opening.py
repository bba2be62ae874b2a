"""Opening a trial: the session of a task, the tools that the agent sees, and the faults."""

from __future__ import annotations

import dataclasses
import re
import shutil
from pathlib import Path
from typing import Any

import httpx2
import orjson
import pytest
import yaml

from soundstage.gateway.faults.schedule import OFF
from soundstage.runs.bundle import read_bundle
from soundstage.runs.lint import lint_task, write_lock
from soundstage.runs.opening import schedule_of
from soundstage.runs.planning import seed_of
from soundstage.runs.task_files import task_folder
from tests.gateway.upstream.conftest import EVERYTHING, running
from tests.runs.conftest import DRY_RUN, ERRAND, Agent, Stage, read, rehearsal_of

READ = "lark_calendar_v4_calendar_primary"


@dataclasses.dataclass(frozen=True)
class _Taken:
    oracle_calls: int
    names: dict[str, list[str]]


def _schedule(task: str, worlds: Path, preset: str = "adversarial", seed: int = 1) -> dict[str, Any]:
    dry_run = rehearsal_of(task, worlds)
    taken = _Taken(13, {name: list(key) for name, key in dry_run.names.items()})
    schedule: Any = schedule_of(preset, taken, seed, dry_run.task)  # type: ignore[arg-type] # as much of it as is asked
    return dict(schedule)


def test_seeds_depend_only_on_run_task_and_number() -> None:
    assert seed_of(7, ERRAND, 1) == 491_323_776_993_610_459 == seed_of(7, ERRAND, 1)
    assert len({seed_of(run, task, k) for run in (0, 7, -1) for task in (ERRAND, DRY_RUN) for k in (1, 2)}) == 12


def test_a_schedules_budget_is_spent_within_the_tasks_calls(worlds_folder: Path) -> None:
    schedule = _schedule(DRY_RUN, worlds_folder)
    assert schedule["turns"] == 13
    assert 1 <= sum(schedule["budget"].values()) < 13
    assert "turns" not in _schedule(DRY_RUN, worlds_folder, "flaky")  # the preset has no budget
    assert schedule_of("off", None, 1, None) == OFF  # type: ignore[arg-type] # neither is looked at


def test_faults_spare_the_rows_that_a_task_names(worlds_folder: Path) -> None:
    schedules = (_schedule(DRY_RUN, worlds_folder, seed=seed) for seed in range(100))
    drift = next(rule for schedule in schedules for rule in schedule["rules"] if rule["fault"] == "drift")
    names = rehearsal_of(DRY_RUN, worlds_folder).names
    assert {(kind, key) for kind, keys in drift["spares"].items() for key in keys} == {
        (f"{app}/{entity}", key) for app, entity, key in names.values()
    }


def test_a_trial_with_faults_and_its_twin_have_the_same_ids(stage: Stage) -> None:
    runner = stage.begin(faults=["off", "adversarial"], limits={"calls": 100})
    made: dict[str, list[str]] = {}
    for trial in runner.lease(2):
        agent = Agent(trial["mcp"]["url"])
        ids = []
        for n in range(14):
            try:
                ids.append(agent.call("lark_task_v2_task_create", data={"summary": f"thing {n}"}, useUAT=True).text)
            except httpx2.RemoteProtocolError:  # a broken connection is one of the faults
                ids.append("")
        runner.submit(trial)
        [shown] = [t for t in stage.trials(runner) if t["id"] == trial["trial"]]
        made[shown["faults"]] = ids
    results = {r["faults"]: r for r in stage.results(runner)}
    assert results["adversarial"]["faults_landed"] >= 1
    assert results["off"]["faults_landed"] == 0
    assert results["off"]["seed"] == results["adversarial"]["seed"]
    first = [re.findall(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b", "".join(ids))[0] for ids in made.values()]
    assert first[0] == first[1]


def test_a_variant_is_the_same_task_in_other_words(stage: Stage) -> None:
    runner = stage.begin(variants=["default", "goal_oriented_zh"])
    english, chinese = runner.lease(2)
    task = read(ERRAND)
    assert english["instruction"] == task.instruction
    assert chinese["instruction"] == task.variants["goal_oriented_zh"]
    assert len({t["seed"] for t in stage.trials(runner)}) == 1


@pytest.mark.parametrize("tools", ["search", "needed", "all", 9, 60])
def test_the_tool_listing_can_be_chosen_and_contains_what_the_oracle_needs(stage: Stage, tools: str | int) -> None:
    runner = stage.begin(DRY_RUN, tools=tools, limits={"calls": 100})
    trial, agent = runner.take()
    listed = agent.tools()
    task = read(DRY_RUN)
    needed = {c.tool if c.tool.startswith(f"{c.app}_") else f"{c.app}_{c.tool}" for c in task.oracle}
    if tools == "search":
        assert listed == ["search_tools", "describe_tool", "call_tool"]
    else:
        assert needed <= set(listed)
    if isinstance(tools, int):
        assert len(listed) == max(tools, len(needed)) + 3
    if tools == "needed":
        assert {name.partition("_")[0] for name in listed[:-3]} == {"lark", "notion"}
        hidden = agent.call("slack_channels_list")
        assert hidden.json()["error"]["message"].startswith("Unknown tool")
    answer = agent.solve(DRY_RUN, stage.worlds)
    runner.submit(trial, answer)
    [result] = stage.results(runner)
    assert (result["success"], result["tools"]) == (True, str(tools))


def test_an_agent_that_did_not_search_is_distinguished_from_a_failed_search(stage: Stage) -> None:
    runner = stage.begin(ERRAND, tools="search", k=3)
    needed = sorted({f"{c.app}/{c.tool}" for c in read(ERRAND).oracle})
    (_, idle), (_, refused), (_, solver) = taken = [runner.take() for _ in range(3)]
    idle.call("search_tools", query="book a flight to Lisbon", k=1)
    refused.call("search_tools", query="send a message to a chat", k=50)
    refused.call("call_tool", name="lark_im_v1_message_create", arguments={})
    answers = ["", "Done.", solver.solve(ERRAND, stage.worlds)]
    for (trial, _), answer in zip(taken, answers, strict=True):
        runner.submit(trial, answer)
    lines = {line["trial"]: line for line in stage.results(runner)}
    first, second, third = (lines[trial["trial"]] for trial, _ in taken)
    assert first["figures"]["failure"]["error"] in ("Query", "Retrieve")
    assert first["figures"]["failure"]["because"] in needed
    assert second["figures"]["failure"] == {"error": "Tool", "because": "lark/im_v1_message_create"}
    assert (third["success"], third["figures"]["failure"]) == (True, None)
    bundle = read_bundle(stage.api("GET", f"/runs/{runner.run}/bundle").content)
    places = bundle.trials[taken[0][0]["trial"]].findable  # the same, years later
    assert sorted(places) == needed
    assert all(place is not None and 1 <= place <= 50 for place in places.values())


def test_an_apps_own_address_shows_no_tool_hidden_at_the_shared_address(stage: Stage) -> None:
    runner = stage.begin(DRY_RUN, tools=9)
    _, agent = runner.take()
    shared = {name for name in agent.tools() if name.startswith("lark_")}
    assert {f"lark_{name}" for name in agent.tools("lark")} == shared
    hidden = agent.ask("tools/call", {"name": "im_v1_chat_create", "arguments": {}}, app="lark").json()
    assert "im_v1_chat_create" not in {name.removeprefix("lark_") for name in shared}
    assert hidden.get("error") or hidden["result"]["isError"]


def _own_task(folder: Path, worlds: Path, task: str = ERRAND, **changes: Any) -> Path:
    """Write a user's copy of a task with some members changed, and its lock, into a folder of tasks."""
    own = folder / task
    shutil.copytree(task_folder(task), own)
    written = yaml.safe_load((own / "task.yaml").read_text()) | changes
    (own / "task.yaml").write_text(yaml.safe_dump(written, allow_unicode=True))
    lock = orjson.loads((own / "task.lock").read_bytes())
    report = lint_task(own, worlds) if not changes else None
    if report is not None:
        write_lock(own, report)
    else:
        from soundstage.runs.lint import digest

        (own / "task.lock").write_bytes(orjson.dumps(lock | {"task_digest": digest(own)}))
    return folder


def test_distractors_add_tools_and_rows_without_affecting_the_grade(stage: Stage, tmp_path: Path) -> None:
    members = sorted(rehearsal_of(ERRAND, stage.worlds).people["lin_yue"]["lark"])
    chat = {
        "chat_id": "oc_distractor",
        "name": "Launch party",
        "chat_mode": "group",
        "chat_type": "public",
        "member_ids": members,
    }
    tasks = _own_task(tmp_path, stage.worlds, distractors={"tools": 12, "state": {"lark": {"chat": [chat]}}})
    runner = stage.begin(ERRAND, tasks_dir=str(tasks))
    trial, agent = runner.take()
    others = [name for name in agent.tools() if not name.startswith(("lark_", "search_", "describe_", "call_"))]
    assert len(others) == 12
    text = agent.call("lark_im_v1_chat_search", params={"query": "Launch party"}).text
    assert "oc_distractor" in text
    runner.submit(trial, agent.solve(ERRAND, stage.worlds))
    [result] = stage.results(runner)
    assert (result["success"], result["breaches"]) == (True, [])


LOG = "studio/load-run-seven"
"""A task of kind `ask`."""


def test_distracting_upstreams_are_listed_leave_no_receipts_and_are_counted_separately(
    stage: Stage, tmp_path: Path
) -> None:
    tasks = _own_task(tmp_path, stage.worlds, LOG, distractors={"upstreams": ["aside"]})
    refused = stage.api("POST", "/runs", json={"tasks": [LOG], "tasks_dir": str(tasks)})
    assert refused.status_code == 400
    assert "this gateway has no upstream 'aside'" in refused.text
    with running(EVERYTHING, "http") as (_, port):
        servers = {"aside": {"url": f"http://127.0.0.1:{port}/mcp"}}
        assert stage.api("POST", "/upstreams", json={"mcpServers": servers}).status_code == 201
        try:
            beside = stage.begin(LOG, tasks_dir=str(tasks))
            trial, agent = beside.take()
            assert "aside_echo" in agent.tools()
            assert not agent.call("aside_echo", text="1150").json()["result"].get("isError")
            beside.submit(trial, agent.solve(LOG, stage.worlds))
            [with_server] = stage.until_done(beside)
        finally:
            stage.api("DELETE", "/upstreams/aside")
    plain = stage.begin(LOG)
    trial, agent = plain.take()
    assert "aside_echo" not in agent.tools()
    plain.submit(trial, agent.solve(LOG, stage.worlds))
    stage.until_done(plain)

    assert (with_server["success"], with_server["breaches"], with_server["tools"]) == (True, [], "all+upstreams")
    assert with_server["calls"] == with_server["oracle_calls"]  # the upstream's calls are only in the journal
    assert (stage.run(beside)["success"], stage.run(plain)["success"]) == (None, 1.0)
    report = stage.api("GET", "/runs/report", params={"run": [beside.run, plain.run]}).json()
    assert [(row["tools"], row["trials"]) for row in report["rows"]] == [("all+upstreams", 1), ("all", 1)]
    compared = stage.api("GET", "/runs/compare", params={"a": beside.run, "b": plain.run}).json()
    assert compared["tasks"] == 0


def test_only_a_task_of_kind_ask_may_have_distracting_upstreams(stage: Stage, tmp_path: Path) -> None:
    tasks = _own_task(tmp_path, stage.worlds, distractors={"upstreams": ["aside"]})
    refused = stage.api("POST", "/runs", json={"tasks": [ERRAND], "tasks_dir": str(tasks)})
    assert refused.status_code == 400
    assert "leave no receipts to grade" in refused.text


def test_required_tools_are_listed_even_if_a_run_limits_the_tools(stage: Stage, tmp_path: Path) -> None:
    folder = _own_task(tmp_path, stage.worlds, requires={"tools": ["lark/im_v1_chat_create"]})
    _, agent = stage.begin(ERRAND, tools=1, tasks_dir=str(folder)).take()
    assert "lark_im_v1_chat_create" in agent.tools()
    _, other = stage.begin(ERRAND, tools=1).take()
    assert "lark_im_v1_chat_create" not in other.tools()


def test_tasks_without_a_fresh_lock_cannot_enter_a_run(stage: Stage, tmp_path: Path) -> None:
    tasks = _own_task(tmp_path, stage.worlds)
    assert stage.begin(ERRAND, tasks_dir=str(tasks)).lease()
    file = tasks / ERRAND / "task.yaml"
    file.write_text(file.read_text().replace("an hour and a half", "ninety minutes"))
    refused = stage.api("POST", "/runs", json={"tasks": [ERRAND], "tasks_dir": str(tasks)})
    assert refused.status_code == 400
    assert "soundstage tasks lint studio/errand" in refused.json()["error"]
    (tasks / ERRAND / "task.lock").unlink()
    assert stage.api("POST", "/runs", json={"tasks": [ERRAND], "tasks_dir": str(tasks)}).status_code == 400
    (tasks / ERRAND / "task.lock").write_text("no lock")
    assert stage.api("POST", "/runs", json={"tasks": [ERRAND], "tasks_dir": str(tasks)}).status_code == 400


def test_a_task_edited_during_its_run_is_graded_in_its_old_form(stage: Stage, tmp_path: Path) -> None:
    tasks = _own_task(tmp_path, stage.worlds)
    runner = stage.begin(ERRAND, tasks_dir=str(tasks))
    shutil.rmtree(tasks / ERRAND)
    trial, agent = runner.take()
    runner.submit(trial, agent.solve(ERRAND, stage.worlds))
    assert stage.results(runner)[0]["success"]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"tasks": ["studio/no-such"]}, "there is no task and no world with tasks named 'studio/no-such'"),
        ({"faults": ["off", "earthquake"]}, "there is no preset 'earthquake'"),
        ({"faults": ["off", "off"]}, "'off' is given twice"),
        ({"variants": ["in_rhymes"]}, "studio/errand has no variant 'in_rhymes'; it has: default, goal_oriented_zh"),
    ],
)
def test_an_invalid_plan_is_refused_with_the_reason(stage: Stage, plan: dict[str, Any], message: str) -> None:
    refused = stage.api("POST", "/runs", json={"tasks": [ERRAND], **plan})
    assert refused.status_code == 400
    assert message in refused.json()["error"]


def test_a_world_name_selects_all_of_its_tasks(stage: Stage) -> None:
    runner = stage.begin("studio", ERRAND)
    named = [t["task"] for t in stage.trials(runner)]
    assert ERRAND in named
    assert len(named) == len(set(named)) >= 6
