"""Recording a real server: a plan, consent, a run, and the content of the recording."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.conftest import run_here
from tests.synthesis.traverse.odd_shop import SECRET

SHOP = Path(__file__).with_name("odd_shop.py")
DERIVED = ("traces.jsonl", "values.jsonl", "graph.json", "volatile.json", "coverage.json", "split.json")
Plan = Callable[..., Path]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "asked.jsonl"


@pytest.fixture
def plan(tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Makes a pool with a plan of the shop: `plan(reset=True, lies=False)`."""
    monkeypatch.setenv("HARBOUR_CANARY", "canary-of-the-caller")

    def make(*, reset: bool = True, lies: bool = False) -> Path:
        pool = tmp_path / "pool"
        scratch = ["--reset-scratch", "SHOP_FILE", "--reset-scratch", f"SHOP_LOG={log}"] if reset else []
        scratch += ["--reset-scratch", "SHOP_LIES=yes"] if lies else []
        output_of(
            run_here("traverse", "plan", "-o", str(pool), "--app", "shop", *scratch, "--", sys.executable, str(SHOP))
        )
        text = (pool / "plan.yaml").read_text()
        (pool / "plan.yaml").write_text(text.replace("rate: 50/s", "rate: 2000/s"))
        return pool

    return make


def output_of(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.output


def logged_calls(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def report(pool: Path) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(output_of(run_here("traverse", "report", str(pool), "--json")))
    return parsed


def test_a_plan_requests_only_the_tools_and_lists_what_it_will_not_do(plan: Plan, log: Path) -> None:
    pool = plan()
    assert logged_calls(log) == []
    text = (pool / "plan.yaml").read_text()
    assert '"order_good":\n    class: open_world # it declares nothing' in text
    assert '# sentinels: {"email": "…"}' in text
    shown = report(pool)
    assert (shown["tools"], shown["called"]) == (8, 7)
    assert "allow: true" in shown["refused_by_plan"]["order_good"]


@pytest.mark.long
def test_a_server_that_cannot_be_reset_is_only_read(tmp_path: Path, log: Path) -> None:
    pool = tmp_path / "pool"
    shop = f"import os, runpy; os.environ.update(SHOP_FILE={str(tmp_path / 'goods')!r}, SHOP_LOG={str(log)!r}); "
    shop += f"runpy.run_path({str(SHOP)!r}, run_name='__main__')"
    output_of(run_here("traverse", "plan", "-o", str(pool), "--app", "shop", "--", sys.executable, "-c", shop))
    refused = report(pool)["refused_by_plan"]
    assert refused.keys() == {"add_good", "order_good", "remove_good"}
    assert "account.sandbox" in refused["add_good"]
    output_of(run_here("traverse", "run", str(pool)))
    assert {one["tool"] for one in logged_calls(log)} & refused.keys() == set()
    assert "order_good" not in {call["tool"] for call in lines(pool / "traces.jsonl")}


@pytest.mark.long
def test_calls_that_reach_people_need_consent_and_use_the_named_values(plan: Plan, log: Path) -> None:
    pool = plan()
    text = (pool / "plan.yaml").read_text()
    (pool / "plan.yaml").write_text(text.replace("class: open_world #", "class: open_world\n    allow: true #"))
    assert "sentinels" in report(pool)["refused_by_plan"]["order_good"]
    own = 'class: open_world\n    allow: true\n    sentinels: {"email": "me@harbour.example"}\n    #'
    (pool / "plan.yaml").write_text(text.replace("class: open_world #", own))
    output_of(run_here("traverse", "run", str(pool)))
    orders = [one["arguments"] or {} for one in logged_calls(log) if one["tool"] == "order_good"]
    assert {given.get("email", "me@harbour.example") for given in orders} == {"me@harbour.example"}
    assert report(pool)["per_tool"]["order_good"]["outcomes"]["success"] > 0


def test_a_run_explores_what_the_schemas_leave_open_and_reports_it(plan: Plan) -> None:
    pool = plan()
    output_of(run_here("traverse", "run", str(pool)))
    shown = report(pool)
    assert (shown["succeed"], shown["called"]) == (7, 7)
    assert shown["goals"]["share"] > 0.95
    outcomes = {name: tool["outcomes"] for name, tool in shown["per_tool"].items()}
    assert outcomes["add_good"]["crashed"] == 1  # by a title that is too long
    assert outcomes["add_good"]["accepted"] > 0  # an unknown colour, unknown members
    assert outcomes["search_goods"]["unexpected"] > 0  # each of them was repeated
    assert shown["flaky"] > 0
    assert outcomes["price_of"]["unclear"] == shown["flaky"]
    proved = {(e["producer"], e["gives"], e["consumer"], e["takes"]) for e in shown["edges"] if e["proof"]}
    assert ("list_goods", "$.goods[*].id", "get_good", "$.good_id") in proved
    assert {"$.id", "$.added"} <= set(shown["volatile"]["add_good"])
    assert "$.goods[*].id" in shown["volatile"]["list_goods"]


def test_nothing_secret_reaches_the_pool(plan: Plan) -> None:
    pool = plan()
    output_of(run_here("traverse", "run", str(pool)))
    everything = "".join(path.read_text() for path in pool.iterdir() if path.is_file())
    assert "shop_settings" in everything
    for secret in (SECRET, "canary-of-the-caller", "omar.field@harbour-shop.com", "/scratch-"):
        assert secret not in everything
    assert "@mail.example" in everything


def test_a_tool_that_is_declared_as_reading_and_changes_something_ends_the_run(plan: Plan, log: Path) -> None:
    pool = plan(lies=True)
    ended = run_here("traverse", "run", str(pool))
    assert ended.exit_code == 4
    assert "view_good says that it only reads" in ended.output
    assert not any(
        "schema_violation" in call["failure_class"] for call in lines(pool / "traces.jsonl") if call["failure_class"]
    )


@pytest.mark.long
def test_a_killed_run_continues_without_repeating_calls(plan: Plan) -> None:
    pool = plan()
    command = [sys.executable, "-m", "soundstage.cli.main", "traverse", "run", str(pool)]
    code = "import sys; from soundstage.cli.main import main; sys.argv = ['soundstage', *sys.argv[1:]]; main()"
    running = subprocess.Popen([sys.executable, "-c", code, *command[3:]], stdout=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while time.monotonic() < until and (not (pool / "episodes.jsonl").exists() or len(lines_so_far(pool)) < 120):
        time.sleep(0.02)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    output_of(run_here("traverse", "run", str(pool)))
    sent = [line for line in lines(pool / "episodes.jsonl") if "tool" in line]
    assert max(Counter(line["id"] for line in sent).values()) == 1
    asked_for = [
        (line["tool"], line["intent"]["goal"]) for line in sent if line["intent"]["kind"] not in ("setup", "probe")
    ]
    again = {goal for goal, count in Counter(asked_for).items() if count > 1}
    assert {tool for tool, _ in again} <= {"search_goods"}  # which was repeated after each rate limit
    assert report(pool)["goals"]["share"] > 0.95


def lines_so_far(pool: Path) -> list[str]:
    return (pool / "episodes.jsonl").read_text().splitlines()


def test_derived_files_are_reproducible_and_the_users_rules_take_precedence(plan: Plan) -> None:
    pool = plan()
    output_of(run_here("traverse", "run", str(pool), "--max-calls", "60"))
    before = {name: (pool / name).read_bytes() for name in DERIVED}
    for name in DERIVED:
        (pool / name).unlink()
    output_of(run_here("traverse", "rebuild", str(pool)))
    assert {name: (pool / name).read_bytes() for name in DERIVED} == before
    call = next(one for one in lines(pool / "traces.jsonl") if one["expect"]["ok"])
    assert "1 decided" in output_of(
        run_here("traverse", "review", str(pool), "--set", f"{call['id']}=refused", "--by", "Lin")
    )
    changed = next(one for one in lines(pool / "traces.jsonl") if one["id"] == call["id"])
    assert not changed["expect"]["ok"]
    assert run_here("traverse", "review", str(pool), "--set", "nobody=refused").exit_code == 2


@pytest.mark.long
def test_recordings_replay_on_their_server(plan: Plan) -> None:
    pytest.importorskip("sklearn")
    pool = plan()
    output_of(run_here("traverse", "run", str(pool)))
    measured = run_here("fidelity", "--against", "live:shop", str(pool / "traces.jsonl"), "--json")
    figures = json.loads(output_of(measured))["apps"]["shop"]
    assert (figures["false_positives"], figures["false_negatives"]) == (0, 0)
    assert figures["exact"] >= 0.97 * figures["traces"]  # the rate limit affects other calls now
    assert (
        "of shop, not of harbour"
        in run_here("fidelity", "--against", "live:harbour", str(pool / "traces.jsonl")).output
    )


def test_calls_of_agents_are_imported(plan: Plan, tmp_path: Path) -> None:
    pool = plan()
    reply = {"content": [{"type": "text", "text": '{"goods": []}'}], "isError": False}
    made = {
        "app": "shop",
        "tool": "list_goods",
        "arguments": {},
        "ok": True,
        "reply": reply,
        "at": "2026-11-20T09:00:00Z",
    }
    journal = tmp_path / "journal.jsonl"
    journal.write_text(
        "\n".join(json.dumps(line) for line in (made, {**made, "app": "slack"}, {**made, "tool": "search_tools"}))
    )
    assert "1 calls taken in" in output_of(run_here("traverse", "import", str(pool), str(journal)))
    assert [call["tool"] for call in lines(pool / "traces.jsonl")] == ["list_goods"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("class: read", "class: reading"), "plan.yaml:"),
        (("rate: 2000/s", "rate: often"), "calls a second or minute"),
        (('"get_good":', '"get_bad":'), "the server has no such tool"),
        (("server: ", "server: other"), "another version of the server"),
    ],
)
def test_an_invalid_plan_is_reported_with_its_place(plan: Plan, change: tuple[str, str], message: str) -> None:
    pool = plan()
    (pool / "plan.yaml").write_text((pool / "plan.yaml").read_text().replace(*change, 1))
    refused = run_here("traverse", "run", str(pool))
    assert refused.exit_code == 1
    assert message in refused.output


def test_a_program_that_is_not_a_server_and_a_folder_that_is_not_a_pool_are_reported(tmp_path: Path) -> None:
    nobody = run_here("traverse", "plan", "-o", str(tmp_path / "pool"), "--", sys.executable, "-c", "pass")
    assert nobody.exit_code == 1
    assert "does not answer as an MCP server" in nobody.output
    assert "is not a recording" in run_here("traverse", "status", str(tmp_path)).output
    assert run_here("traverse", "plan", "-o", str(tmp_path / "pool")).exit_code == 2
