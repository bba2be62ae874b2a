"""An upstream's own address: every feature of a server reaches the client, in both revisions, over each transport."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from tests.conftest import Gateway, wait_until
from tests.gateway.upstream.conftest import EVERYTHING, ODD, program, running, upstream

TRANSPORTS = ["web", "sse", "process"]
MODES = ["auto", "legacy"]
LESS_USED = {("sse", "legacy"), ("process", "auto")}
every_way = pytest.mark.parametrize(
    ("name", "mode"),
    [pytest.param(n, m, marks=[pytest.mark.long] if (n, m) in LESS_USED else []) for n in TRANSPORTS for m in MODES],
)


def _address(gateway: Gateway, session: dict[str, Any], name: str) -> str:
    return f"{gateway.url}/s/{session['handle']}/{name}/mcp"


@asynccontextmanager
async def _client(gateway: Gateway, name: str, mode: str, **more: Any) -> AsyncIterator[tuple[Client, dict[str, Any]]]:
    session = gateway.session(world="empty")
    async with Client(_address(gateway, session, name), mode=mode, **more) as client:
        yield client, session


def _text(result: Any) -> str:
    text: str = result.content[0].text
    return text


@every_way
async def test_tools_resources_prompts_and_completions_pass_through(front: Gateway, name: str, mode: str) -> None:
    async with _client(front, name, mode) as (client, _):
        assert client.server_info is not None
        assert client.server_info.name == "everything"
        tools = {t.name: t for t in (await client.list_tools()).tools}
        assert tools["json_schema_2020_12_tool"].input_schema["x-unheard-of"] == {"kept": [1, 2.5, None]}
        assert (await client.call_tool("test_image_content")).content[0].type == "image"
        assert (await client.call_tool("test_audio_content")).content[0].type == "audio"
        assert (await client.call_tool("test_embedded_resource")).content[0].type == "resource"
        structured = await client.call_tool("structured")
        assert structured.structured_content == {"n": 1}
        assert structured.meta is not None
        assert structured.meta["example.com/kept"] is True
        assert len((await client.list_resources()).resources) == 3
        assert len((await client.list_resource_templates()).resource_templates) == 1
        read = await client.read_resource("test://template/7/data")
        assert "Data for ID: 7" in read.contents[0].text  # type: ignore[union-attr]
        assert len((await client.list_prompts()).prompts) == 5
        prompt = await client.get_prompt("test_prompt_with_arguments", {"arg1": "a", "arg2": "b"})
        assert "arg2='b'" in prompt.messages[0].content.text  # type: ignore[union-attr]
        reference = types.PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
        done = await client.complete(reference, {"name": "arg1", "value": "par"})
        assert done.completion.values == ["paris", "park", "party"]


@every_way
async def test_progress_arrives_during_the_call(front: Gateway, name: str, mode: str) -> None:
    progress_values: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        progress_values.append(progress)

    async with _client(front, name, mode) as (client, _):
        await client.call_tool("test_tool_with_progress", progress_callback=note)
    assert progress_values == [0, 50, 100]


@pytest.mark.parametrize("name", TRANSPORTS)
async def test_log_messages_sampling_and_elicitation_reach_the_client_that_called(front: Gateway, name: str) -> None:
    logged: list[Any] = []

    async def log(params: types.LoggingMessageNotificationParams) -> None:
        logged.append(params.data)

    async def sample(context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        return types.CreateMessageResult(role="assistant", content=types.TextContent(text="Paris"), model="m")

    async def elicit(context: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"username": "ada", "email": "ada@example.com"})

    more = {"logging_callback": log, "sampling_callback": sample, "elicitation_callback": elicit}
    async with _client(front, name, "legacy", **more) as (client, _):
        await client.call_tool("test_tool_with_logging")
        assert _text(await client.call_tool("test_sampling", {"prompt": "Capital?"})) == "LLM response: Paris"
        assert "ada@example.com" in _text(await client.call_tool("test_elicitation", {"message": "Who?"}))
    assert logged == ["Tool execution started", "Tool processing data", "Tool execution completed"]


@pytest.mark.parametrize("name", TRANSPORTS)
async def test_a_result_that_requests_input_preserves_its_state(front: Gateway, name: str) -> None:
    async def elicit(context: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"name": "Ada", "color": "blue"})

    async with _client(front, name, "2026-07-28", elicitation_callback=elicit) as (client, session):
        assert "blue" in _text(await client.call_tool("test_input_required_result_multi_round"))
    lines = front.journal(session["id"])
    assert [(line["ok"], line["error_kind"]) for line in lines] == [
        (False, "input_required"), (False, "input_required"), (True, None),
    ]  # fmt: skip


@pytest.mark.parametrize("name", TRANSPORTS)
async def test_a_cancelled_call_is_cancelled_at_the_upstream(front: Gateway, name: str) -> None:
    async with _client(front, name, "2026-07-28") as (client, session):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.call_tool("wait_for_cancel"), 1.5)
    wait_until(lambda: bool(front.journal(session["id"])))
    (line,) = front.journal(session["id"])
    assert (line["tool"], line["ok"], line["error_kind"]) == ("wait_for_cancel", False, "cancelled")


@pytest.mark.parametrize("name", TRANSPORTS)
async def test_subscribers_of_2026_07_28_are_notified_of_changes(front: Gateway, name: str) -> None:
    session = front.session(world="empty")
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"_meta": meta, "notifications": {"toolsListChanged": True}}
    body = {"jsonrpc": "2.0", "id": "mine", "method": "subscriptions/listen", "params": params}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "subscriptions/listen",
    }
    notifications: list[dict[str, Any]] = []
    address = _address(front, session, name)
    async with (
        httpx2.AsyncClient(timeout=60) as http,
        http.stream("POST", address, json=body, headers=headers) as response,
        Client(address, mode="2026-07-28") as client,
    ):
        async for line in response.aiter_lines():
            if line.startswith("data:"):
                notifications.append(json.loads(line.removeprefix("data:")))
                if len(notifications) == 2:
                    break
                await client.call_tool("test_trigger_tool_change")
    assert [h["method"] for h in notifications] == [
        "notifications/subscriptions/acknowledged",
        "notifications/tools/list_changed",
    ]
    assert {h["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] for h in notifications} == {"mine"}


@every_way
async def test_each_call_is_a_step_with_the_reply_and_without_a_receipt(front: Gateway, name: str, mode: str) -> None:
    async with _client(front, name, mode) as (client, session):
        await client.call_tool("echo", {"text": "hello"})
        await client.call_tool("test_error_handling")
        with pytest.raises(MCPError, match="Unknown tool: none"):
            await client.call_tool("none")
    first, second, third = front.journal(session["id"])
    assert (first["app"], first["tool"], first["arguments"]) == (name, "echo", {"text": "hello"})
    assert first["reply"]["content"] == [{"type": "text", "text": '{"text": "hello"}'}]
    assert [line["changes"] for line in (first, second, third)] == [[], [], []]
    assert [line["ok"] for line in (first, second, third)] == [True, False, False]
    assert [line["is_error"] for line in (first, second, third)] == [False, True, None]
    assert third["reply"]["error"]["message"] == "Unknown tool: none"


@every_way
async def test_the_state_of_a_server_belongs_to_the_session(front: Gateway, name: str, mode: str) -> None:
    """Each session has a separate counter, which continues when its client reconnects."""
    if name == "web" and mode == "auto":
        pytest.skip("over HTTP 2026-07-28 keeps nothing")
    mine, other = front.session(world="empty"), front.session(world="empty")

    async def count(session: dict[str, Any]) -> int:
        async with Client(_address(front, session, name), mode=mode) as client:
            return int(_text(await client.call_tool("count")).partition(" ")[0])

    if name == "sse":  # one process serves all connections there and has one counter
        assert await count(mine) < await count(mine)
        return
    assert [await count(mine), await count(mine), await count(other)] == [1, 2, 1]


@pytest.mark.parametrize("name", TRANSPORTS)
async def test_clients_of_one_session_can_use_the_same_ids(front: Gateway, name: str) -> None:
    session = front.session(world="empty")
    address = _address(front, session, name)
    async with Client(address, mode="legacy") as one, Client(address, mode="legacy") as two:
        results = await asyncio.gather(
            *(
                client.call_tool("echo", {"text": f"{who} {n}"})
                for n in range(20)
                for who, client in (("a", one), ("b", two))
            )
        )
    expected = [json.dumps({"text": f"{who} {n}"}) for n in range(20) for who in "ab"]
    assert [_text(s) for s in results] == expected


@pytest.mark.parametrize("name", TRANSPORTS)
async def test_a_client_that_drops_its_session_id_is_still_served(front: Gateway, name: str) -> None:
    session = front.session(world="empty")
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "x"}}}
    async with httpx2.AsyncClient(timeout=60) as http:
        answer = await http.post(_address(front, session, name), json=body, headers=headers)
    assert answer.status_code == 200
    assert '\\"text\\"' in answer.text


async def test_an_unknown_session_id_makes_the_client_initialize_again(front: Gateway) -> None:
    session = front.session(world="empty")
    headers = {"Accept": "application/json, text/event-stream", "Mcp-Session-Id": "of-yesterday"}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with httpx2.AsyncClient() as http:
        for name in TRANSPORTS:
            answer = await http.post(_address(front, session, name), json=body, headers=headers)
            assert answer.status_code == 404, name


@pytest.mark.parametrize("body", [b"{", b"[]", b'[{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]', b"5"])
async def test_a_body_other_than_a_single_message_is_refused(front: Gateway, body: bytes) -> None:
    session = front.session(world="empty")
    async with httpx2.AsyncClient() as http:
        answer = await http.post(_address(front, session, "process"), content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] in (-32700, -32600)


async def test_an_oversized_body_is_refused(front: Gateway) -> None:
    session = front.session(world="empty")

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 100_000

    async with httpx2.AsyncClient() as http:
        answer = await http.post(_address(front, session, "web"), content=endless())
    assert answer.status_code == 413


@pytest.mark.long
async def test_a_reset_restarts_the_process(before: Any) -> None:
    gateway = before({"process": program(EVERYTHING, "stdio")})
    session = gateway.session(world="empty")
    seen = []
    for _ in range(2):
        async with Client(_address(gateway, session, "process")) as client:
            seen.append(_text(await client.call_tool("count")))
        gateway.api("POST", f"/sessions/{session['id']}/reset")
    assert seen[0].partition(" ")[0] == seen[1].partition(" ")[0] == "1"
    assert seen[0] != seen[1]


@pytest.mark.parametrize(
    "mode", ["auto", *(pytest.param(mode, marks=pytest.mark.long) for mode in ("legacy", "2026-07-28"))]
)
async def test_a_server_of_the_older_revisions_serves_clients_of_both(before: Any, mode: str) -> None:
    with running(ODD, "http", "fine") as (_, port):
        gateway = before({"web": {"url": f"http://127.0.0.1:{port}/mcp"}, "process": program(ODD, "stdio", "fine")})
        for name in ("web", "process"):
            assert upstream(gateway, name)["protocol"] == "2025-11-25"
            session = gateway.session(world="empty")
            async with Client(_address(gateway, session, name), mode=mode) as client:
                assert [t.name for t in (await client.list_tools()).tools] == ["same"]
                assert _text(await client.call_tool("same")) == "done"
            assert [line["ok"] for line in gateway.journal(session["id"])] == [True]


def test_the_control_plane_shows_the_revision_of_each_upstream(front: Gateway) -> None:
    shown = [upstream(front, name) for name in TRANSPORTS]
    assert [(u["kind"], u["status"], u["protocol"]) for u in shown] == [
        ("http", "up", "2026-07-28"),
        ("sse", "up", "2026-07-28"),
        ("stdio", "up", "2026-07-28"),
    ]
