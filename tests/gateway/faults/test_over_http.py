"""Faults through clients over HTTP and stdio, and through the control plane."""

from __future__ import annotations

import asyncio
import json
import re
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.cli.test_commands import made, soundstage
from tests.conftest import Gateway, clean_environment, soundstage_command, start_gateway, stop_gateway
from tests.gateway.faults.small_state import READS, SMALL_STATE, WRITES

pytestmark = pytest.mark.long

POST = WRITES["slack"]


def under(gateway: Gateway, *rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Create a session with the small state and these rules."""
    session = gateway.session(world="empty", faults={"rules": list(rules)}, **more)
    loaded = gateway.api("PUT", f"/sessions/{session['id']}/state", json=SMALL_STATE)
    assert loaded.status_code == 200, loaded.text
    return session


def ledger(gateway: Gateway, session: dict[str, Any]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = gateway.api("GET", f"/sessions/{session['id']}/faults/ledger").json()
    return entries


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
@pytest.mark.parametrize(("fault", "posted"), [("connection_drop", 0), ("lost_ack", 1)])
async def test_a_dropped_connection_breaks_and_the_next_one_works(
    gateway: Gateway, mode: str, fault: str, posted: int
) -> None:
    session = under(gateway, {"fault": fault, "times": 1})
    with pytest.raises(Exception):  # noqa: B017 clients raise what they like when a connection breaks
        async with Client(session["apps"]["slack"], mode=mode, read_timeout_seconds=3) as client:
            await client.call_tool(*POST)
    async with Client(session["apps"]["slack"], mode=mode) as client:
        assert json.loads((await client.call_tool(*POST)).content[0].text)["ok"] is True  # type: ignore[union-attr]
    written = [line for line in gateway.journal(session["id"]) if line["app"] == "slack" and line["changes"]]
    assert len(written) == posted + 1
    (entry,) = ledger(gateway, session)
    assert (entry["fault"], entry["saw"], entry["effects"]) == (fault, None, posted + 1)


def test_a_broken_connection_sends_no_byte_of_the_answer(gateway: Gateway) -> None:
    session = under(gateway, {"fault": "lost_ack", "times": 1})
    name, arguments = POST
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    received: list[bytes] = []
    request = httpx2.Request("POST", session["apps"]["slack"], json=body, headers=headers)
    with httpx2.Client() as client, pytest.raises(httpx2.RemoteProtocolError):
        received.extend(client.send(request, stream=True).iter_raw())
    assert received == []


async def test_a_renamed_tool_is_listed_and_works_under_its_new_name(gateway: Gateway) -> None:
    rule = {"fault": "tool_renamed", "times": 1, "match": {"tool": POST[0]}}
    session = under(gateway, {**rule, "suffix": "_v2"})
    async with Client(session["apps"]["slack"], mode="legacy") as alone, Client(session["mcp_url"]) as shared:
        before = [t.name for t in (await alone.list_tools()).tools]
        refused = await alone.call_tool(*POST)
        assert "Unknown tool" in refused.content[0].text  # type: ignore[union-attr]
        after = [t.name for t in (await alone.list_tools()).tools]
        assert after == [f"{n}_v2" if n == POST[0] else n for n in before]
        for client in (alone, shared):
            assert f"{POST[0]}_v2" in [t.name for t in (await client.list_tools()).tools]
            assert json.loads((await client.call_tool(f"{POST[0]}_v2", POST[1])).content[0].text)["ok"] is True  # type: ignore[union-attr]


async def test_a_vanished_tool_is_not_listed(gateway: Gateway) -> None:
    session = under(gateway, {"fault": "tool_vanished", "match": {"tool": POST[0]}})
    async with Client(session["mcp_url"], mode="legacy") as client:
        assert POST[0] in [t.name for t in (await client.list_tools()).tools]
        await client.call_tool(*POST)
        assert POST[0] not in [t.name for t in (await client.list_tools()).tools]


async def test_latency_affects_only_its_call(gateway: Gateway) -> None:
    slow = {"fault": "latency", "distribution": "constant", "ms": 700, "match": {"effect": "create"}}
    session = under(gateway, slow)

    async def timed(call: tuple[str, dict[str, Any]]) -> float:
        async with Client(session["apps"]["slack"]) as client:
            began = time.monotonic()
            await client.call_tool(*call)
            return time.monotonic() - began

    write, read = await asyncio.gather(timed(POST), timed(READS["slack"]))
    assert write >= 0.7
    assert read < 0.5


async def test_a_midtask_request_is_in_a_reply_and_a_notification(tmp_path: Path) -> None:
    schedule = tmp_path / "wish.yaml"
    schedule.write_text("rules: [{fault: new_constraint, wish: Please be brief., times: 1}]")
    soundstage("sessions", "create", "--name", "desk", data=tmp_path)
    made(soundstage("faults", "set", "desk", str(schedule), "--json", data=tmp_path))
    notices: list[Any] = []

    async def listen(params: Any) -> None:
        notices.append(params.data)

    command, *arguments = [*soundstage_command(), "stdio", "--session", "desk", "--data", str(tmp_path)]
    server = StdioServerParameters(command=command, args=arguments, env=clean_environment())
    async with Client(stdio_client(server), mode="legacy", logging_callback=listen) as client:
        result = await client.call_tool("lark_im_v1_chat_list", {})
        assert result.content[-1].text == "Please be brief."  # type: ignore[union-attr]
    assert notices == ["Please be brief."]


async def test_over_stdio_a_lost_answer_never_arrives(tmp_path: Path) -> None:
    soundstage("sessions", "create", "--name", "desk", data=tmp_path)
    schedule = tmp_path / "lost.yaml"
    schedule.write_text("rules: [{fault: connection_drop, times: 1}]")
    made(soundstage("faults", "set", "desk", str(schedule), "--json", data=tmp_path))
    command, *arguments = [*soundstage_command(), "stdio", "--session", "desk", "--data", str(tmp_path)]
    server = StdioServerParameters(command=command, args=arguments, env=clean_environment())
    async with Client(stdio_client(server), mode="legacy") as client:
        with pytest.raises(Exception):  # noqa: B017 a timeout, in whatever form
            await client.call_tool("lark_im_v1_chat_list", {}, read_timeout_seconds=2)
        assert not (await client.call_tool("lark_im_v1_chat_list", {})).is_error


async def test_a_fault_and_a_real_refusal_are_the_same_on_the_wire(gateway: Gateway) -> None:
    """A refusal caused by the state and one caused by a fault are the same bytes."""
    real = under(gateway)
    limited = {**SMALL_STATE["slack"]["auth"][0], "ratelimited": True}
    gateway.api("PUT", f"/sessions/{real['id']}/state", json={"slack": {"auth": [limited]}})
    faulty = under(gateway, {"fault": "rate_limit"})
    replies = []
    for session in (real, faulty):
        name, arguments = POST
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
        response = httpx2.post(session["apps"]["slack"], json=body, headers=headers)
        headers_without_date = {k: v for k, v in response.headers.items() if k != "date"}
        replies.append((response.status_code, headers_without_date, response.content))
    assert replies[0] == replies[1]


def test_a_pair_of_sessions_differs_only_by_the_fault(gateway: Gateway) -> None:
    session = under(gateway, {"fault": "timeout", "when": {"call": 2}}, {"fault": "server_error", "when": {"call": 3}})
    name, arguments = POST
    body = {"app": "slack", "tool": name, "arguments": arguments}
    calls = [gateway.api("POST", f"/sessions/{session['id']}/calls", json=body).json() for _ in range(3)]
    assert [c["ok"] for c in calls] == [True, False, False]
    step = calls[1]["step"]
    paired = gateway.api("POST", f"/sessions/{session['id']}/faults/pair", json={"at": step})
    assert paired.status_code == 201, paired.text
    outcome = {}
    for side, fork in paired.json().items():
        outcome[side] = [gateway.api("POST", f"/sessions/{fork['id']}/calls", json=body).json() for _ in range(2)]
    assert [c["ok"] for c in outcome["with_fault"]] == [False, False]
    assert [c["ok"] for c in outcome["without_fault"]] == [True, False], "the other fault stays where it was"
    assert outcome["with_fault"][0]["reply"] == calls[1]["reply"]
    refused = gateway.api("POST", f"/sessions/{session['id']}/faults/pair", json={"at": 1})
    assert refused.status_code == 400
    assert f"{step}" in refused.json()["error"]


def test_a_refused_schedule_leaves_the_old_one_active(gateway: Gateway) -> None:
    session = under(gateway, {"fault": "timeout"})
    path = f"/sessions/{session['id']}/faults"
    before = gateway.api("GET", path).json()
    wrong = "rules:\n  - fault: timeout\n    match: {app: slak}\n  - fault: nope\nbudget: {reorder: 1}\n"
    refused = gateway.api("PUT", path, content=wrong, headers={"Content-Type": "application/yaml"})
    assert refused.status_code == 400
    assert [(m["place"], m["line"]) for m in refused.json()["mistakes"]] == [
        ("rules[1].fault", 4),
        ("rules[0].match.app", 3),
        ("budget.reorder", 5),
    ]
    assert gateway.api("GET", path).json() == before
    assert gateway.api("POST", "/sessions", json={"faults": {"rules": [{"fault": "nope"}]}}).status_code == 400


def test_a_schedule_can_be_set_shown_and_ended(gateway: Gateway) -> None:
    session = under(gateway)
    path = f"/sessions/{session['id']}/faults"
    assert gateway.api("PUT", path, json="storm").json()["schedule"]["title"] == "Storm"
    assert gateway.api("PUT", path, json={"preset": "calm"}).json()["schedule"]["title"] == "Calm"
    assert gateway.api("PUT", path, json="off").json() == {"schedule": None, "counters": {}}
    names = {f["name"] for f in gateway.api("GET", "/faults").json()["faults"]}
    assert {"timeout", "lost_ack", "new_constraint"} <= names


def test_a_reset_preserves_the_sessions_schedule(gateway: Gateway) -> None:
    session = gateway.session(faults="flaky")
    gateway.api("POST", f"/sessions/{session['id']}/reset")
    assert gateway.api("GET", f"/sessions/{session['id']}/faults").json()["schedule"]["title"] == "Flaky"


def test_the_command_sets_shows_pairs_and_reports(gateway: Gateway, tmp_path: Path) -> None:
    data, name = gateway.data, "trial-of-faults"
    gateway.session(name=name, seed=3)
    assert "6 rules" in soundstage("faults", "set", name, "flaky", data=data).stdout
    assert "rate_limit" in soundstage("faults", "show", name, data=data).stdout
    assert "adversarial" in soundstage("faults", "list", data=data).stdout
    assert "retry_after_s" in soundstage("faults", "show", "rate_limit", data=data).stdout
    rules = tmp_path / "one.yaml"
    rules.write_text("rules: [{fault: timeout, times: 1}]")
    made(soundstage("faults", "set", name, str(rules), "--json", data=data))
    for _ in range(2):
        soundstage("call", "lark", "im_v1_chat_list", "--session", name, data=data)
    (entry,) = made(soundstage("faults", "ledger", name, "--json", data=data))
    assert (entry["fault"], entry["recovered"]) == ("timeout", True)
    pair = made(soundstage("faults", "pair", name, "--at", str(entry["step"]), "--json", data=data))
    assert {"with_fault", "without_fault"} == pair.keys()
    svg = tmp_path / "report.svg"
    shown = soundstage("faults", "report", name, "--svg", str(svg), data=data)
    assert re.search(r"timeout\s+1\s+1\s+1/1 100%", shown.stdout)
    assert svg.read_text().startswith("<svg")
    refused = soundstage("faults", "set", name, "hurricane", data=data)
    assert refused.returncode == 1
    assert "hurricane" in refused.stderr


def test_the_gateways_schedule_applies_to_sessions_without_one(tmp_path: Path) -> None:
    gateway = start_gateway(tmp_path, "--faults", "flaky")
    try:
        plain, own, none = gateway.session(), gateway.session(faults="calm"), gateway.session(faults="off")
        titles = [
            (gateway.api("GET", f"/sessions/{s['id']}/faults").json()["schedule"] or {}).get("title")
            for s in (plain, own, none)
        ]
        assert titles == ["Flaky", "Calm", None]
    finally:
        stop_gateway(gateway)
    refused = soundstage("serve", "--faults", "hurricane", data=tmp_path)
    assert refused.returncode == 1
    assert "hurricane" in refused.stderr


def test_apps_list_their_faults_in_general_words(gateway: Gateway) -> None:
    general = {a["name"]: a["general_faults"] for a in gateway.api("GET", "/apps").json()}
    assert general["slack"] == general["lark"] == general["notion"] == []
