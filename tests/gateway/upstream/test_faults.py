"""Fault schedules on upstreams: faults in general words, at the shared address and at the upstream's own."""

from __future__ import annotations

from typing import Any

import pytest
from mcp.client import Client

from tests.conftest import Gateway
from tests.gateway.serving.wire import Connection


def under(front: Gateway, *rules: dict[str, Any]) -> dict[str, Any]:
    return front.session(faults={"rules": [{"match": {"app": "web", "tool": "echo"}, **rule} for rule in rules]})


def ledger(front: Gateway, session: dict[str, Any]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = front.api("GET", f"/sessions/{session['id']}/faults/ledger").json()
    return entries


@pytest.mark.long
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("alone", [True, False], ids=["own address", "shared address"])
async def test_an_upstream_is_limited_and_recovers(front: Gateway, mode: str, alone: bool) -> None:
    session = under(front, {"fault": "rate_limit", "retry_after_s": 7, "times": 1})
    url = f"{front.url}/s/{session['handle']}/web/mcp" if alone else session["mcp_url"]
    async with Client(url, mode=mode) as client:
        name = "echo" if alone else "web_echo"
        refused = await client.call_tool(name, {"text": "hi"})
        assert refused.is_error
        assert "Retry after 7 seconds" in refused.content[0].text  # type: ignore[union-attr]
        assert (await client.call_tool(name, {"text": "hi"})).content[0].text == '{"text": "hi"}'  # type: ignore[union-attr]
    (entry,) = ledger(front, session)
    assert (entry["app"], entry["fault"], entry["recovered"], entry["recovered_by"]) == (
        "web",
        "rate_limit",
        True,
        "retry",
    )


async def test_an_answer_of_an_upstream_is_cut(front: Gateway) -> None:
    session = under(front, {"fault": "truncate", "times": 1})
    async with Client(session["mcp_url"]) as client:
        texts = [(await client.call_tool("web_echo", {"text": "hello"})).content[0].text for _ in range(2)]  # type: ignore[union-attr]
    whole = texts[1]
    assert texts[0] == whole[: len(whole) // 2]
    (entry,) = ledger(front, session)
    assert entry["detail"] == {"kept": len(whole) // 2, "of": len(whole)}


@pytest.mark.parametrize("alone", [True, False], ids=["own address", "shared address"])
async def test_the_connection_to_an_upstream_breaks(front: Gateway, alone: bool) -> None:
    session = under(front, {"fault": "connection_drop", "times": 1})
    url = f"{front.url}/s/{session['handle']}/web/mcp" if alone else session["mcp_url"]
    name = "echo" if alone else "web_echo"
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": {"text": "hi"}}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    connection = Connection(front.url)
    connection.send(connection.request("POST", url.removeprefix(front.url), call, headers))
    assert connection.until_closed() == b"", "without a byte of an answer"
    async with Client(url, mode="legacy") as client:
        assert not (await client.call_tool(name, {"text": "hi"})).is_error
    assert [(line["ok"], line["reply"] is None) for line in front.journal(session["id"])] == [
        (False, True),
        (True, False),
    ]


@pytest.mark.parametrize("alone", [True, False], ids=["own address", "shared address"])
async def test_a_midtask_request_is_in_a_reply_and_a_notification(front: Gateway, alone: bool) -> None:
    session = under(front, {"fault": "new_constraint", "wish": "Be brief.", "times": 1})
    url = f"{front.url}/s/{session['handle']}/web/mcp" if alone else session["mcp_url"]
    notices: list[Any] = []

    async def listen(params: Any) -> None:
        notices.append(params.data)

    async with Client(url, mode="legacy", logging_callback=listen) as client:
        results = [await client.call_tool("echo" if alone else "web_echo", {"text": "hi"}) for _ in range(2)]
    assert [r.content[-1].text for r in results] == ["Be brief.", '{"text": "hi"}']  # type: ignore[union-attr]
    assert notices == ["Be brief."]


async def test_a_schedule_can_name_only_existing_upstreams_and_tools(front: Gateway) -> None:
    refused = front.api(
        "POST", "/sessions", json={"faults": {"rules": [{"fault": "timeout", "match": {"app": "nowhere"}}]}}
    )
    assert refused.status_code == 400
    assert "web" in refused.json()["error"]
