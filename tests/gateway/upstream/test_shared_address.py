"""Upstreams and simulated apps at one address: one list, one search, one journal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import mcp_types as types
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from tests.conftest import START_S, Gateway, wait_until
from tests.gateway.upstream.conftest import EVERYTHING, program

Before = Callable[..., Gateway]


async def _names(session: dict[str, Any]) -> list[str]:
    async with Client(session["mcp_url"]) as client:
        return [t.name for t in (await client.list_tools()).tools]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_tools_are_listed_and_called_with_their_upstreams_prefix(front: Gateway, mode: str) -> None:
    session = front.session()
    async with Client(session["mcp_url"], mode=mode) as client:
        tools = {t.name: t for t in (await client.list_tools()).tools}
        assert {"lark_im_v1_message_create", "web_echo", "process_echo", "sse_echo", "search_tools"} <= tools.keys()
        assert tools["web_json_schema_2020_12_tool"].input_schema["x-unheard-of"] == {"kept": [1, 2.5, None]}
        for name in ("web", "sse", "process"):
            assert (await client.call_tool(f"{name}_structured")).structured_content == {"n": 1}
        with pytest.raises(MCPError, match=r"Unknown tool: web_web_echo\. Did you mean web_echo"):
            await client.call_tool("web_web_echo")
    assert [line["tool"] for line in front.journal(session["id"])] == [*["structured"] * 3, "web_web_echo"]


async def test_names_have_at_most_64_characters_and_the_list_is_the_same_for_every_connection(front: Gateway) -> None:
    first, second = await _names(front.session()), await _names(front.session())
    assert first == second
    assert max(map(len, first)) <= 64
    assert len(set(first)) == len(first)


async def test_a_result_that_requests_input_passes_through_the_shared_address(front: Gateway) -> None:
    async def elicit(context: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"name": "Ada", "color": "blue"})

    async with Client(front.session()["mcp_url"], elicitation_callback=elicit) as client:
        result = await client.call_tool("web_test_input_required_result_multi_round")
    assert "blue" in result.content[0].text  # type: ignore[union-attr]


async def test_search_finds_describes_and_calls_upstream_tools(front: Gateway) -> None:
    session = front.session(tools="search")
    async with Client(session["mcp_url"]) as client:
        assert {t.name for t in (await client.list_tools()).tools} == {"search_tools", "describe_tool", "call_tool"}
        results = await client.call_tool("search_tools", {"query": "audio content", "app": "process"})
        assert results.structured_content is not None
        assert "process_test_audio_content" in [t["name"] for t in results.structured_content["tools"]]
        described = await client.call_tool("describe_tool", {"name": "process_json_schema_2020_12_tool"})
        assert described.structured_content is not None
        assert described.structured_content["inputSchema"]["x-unheard-of"] == {"kept": [1, 2.5, None]}
        through = await client.call_tool("call_tool", {"name": "process_echo", "arguments": {"text": "hi"}})
        assert through.content[0].text == '{"text": "hi"}'  # type: ignore[union-attr]
    results = front.api("GET", "/search", params={"q": "audio content", "app": "web"}).json()
    assert "test_audio_content" in [t["name"] for t in results]


@pytest.mark.long
async def test_the_list_follows_changes_of_the_upstream(before: Before) -> None:
    gateway = before({"process": program(EVERYTHING, "stdio")})
    session = gateway.session(world="empty")
    assert "process_grown_1" not in await _names(session)
    async with Client(f"{gateway.url}/s/{session['handle']}/process/mcp", mode="legacy") as client:
        await client.call_tool("grow")
        async with asyncio.timeout(START_S):
            while "process_grown_1" not in await _names(session):  # noqa: ASYNC110 another process adds it
                await asyncio.sleep(0.1)
    assert "process_grown_1" in await _names(gateway.session(world="empty"))


async def test_a_session_with_selected_apps_has_only_these_upstreams(front: Gateway) -> None:
    chosen = front.session(apps=["lark", "web"])
    apps = {name.partition("_")[0] for name in await _names(chosen) if "_tool" not in name or name.startswith("web")}
    assert apps == {"lark", "web"}
    none = front.session(apps=["lark"])
    assert not [n for n in await _names(none) if n.startswith("web_")]
    answer = front.api("POST", f"/sessions/{none['id']}/calls", json={"app": "web", "tool": "echo"})
    assert answer.status_code == 400
    assert front.api("POST", "/sessions", json={"apps": ["web"], "durability": "durable"}).status_code == 201


def test_the_control_plane_lists_and_calls_upstream_tools(front: Gateway) -> None:
    session = front.session(world="empty")
    tools = {t["name"]: t for t in front.api("GET", "/apps/process/tools").json()}
    assert tools["echo"]["prefixed_name"] == "process_echo"
    body = {"app": "process", "tool": "echo", "arguments": {"text": "x"}}
    made = front.api("POST", f"/sessions/{session['id']}/calls", json=body).json()
    assert (made["step"], made["ok"], made["reply"]["content"][0]["text"]) == (1, True, '{"text": "x"}')


def test_a_fork_contains_the_calls_of_upstreams(front: Gateway) -> None:
    session = front.session(world="empty")
    for text in ("a", "b"):
        body = {"app": "web", "tool": "echo", "arguments": {"text": text}}
        front.api("POST", f"/sessions/{session['id']}/calls", json=body)
    fork = front.api("POST", f"/sessions/{session['id']}/fork", json={"at": 1}).json()
    assert [line["arguments"]["text"] for line in front.journal(fork["id"])] == ["a"]


def test_secrets_appear_in_no_log_journal_or_answer(
    before: Before, monkeypatch: pytest.MonkeyPatch, everything_http: str
) -> None:
    monkeypatch.setenv("UPSTREAM_TEST_KEY", "sesame-open-1234")
    process = program(EVERYTHING, "stdio", env={"TOKEN": "${UPSTREAM_TEST_KEY}"})
    web = {"url": everything_http, "headers": {"Authorization": "Bearer ${UPSTREAM_TEST_KEY}"}}
    gateway = before({"process": process, "web": web})
    session = gateway.session(world="empty")
    body = {"app": "process", "tool": "show_env", "arguments": {"name": "TOKEN"}}
    made = gateway.api("POST", f"/sessions/{session['id']}/calls", json=body).json()
    assert made["reply"]["content"][0]["text"] == "sesame-open-1234"  # the server itself returns it on request
    gateway.api("POST", f"/sessions/{session['id']}/calls", json={**body, "tool": "none sesame-open-1234"})
    gateway.api("PUT", f"/sessions/{session['id']}/faults", json={"rules": [{"fault": "lost_ack"}]})
    assert gateway.api("POST", f"/sessions/{session['id']}/calls", json=body).json()["reply"] is None
    assert gateway.journal(session["id"])[-1]["lost"] is not None
    texts = [gateway.api("GET", path).text for path in ("/upstreams", "/apps", "/apps/process/tools")]
    texts += [gateway.api("GET", f"/sessions/{session['id']}/faults/ledger").text]
    texts += [str(gateway.journal(session["id"])), gateway.data.parent.joinpath("log").read_text()]
    assert not [text for text in texts if "sesame" in text]
    wait_until(lambda: len(gateway.journal(session["id"])) == 4)
