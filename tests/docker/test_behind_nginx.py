"""A real gateway behind a real nginx works for clients and pages as without it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import fastmcp
import httpx2
import pytest
from mcp.client import Client

from tests.conftest import Gateway, start_gateway, stop_gateway
from tests.services import start_nginx

_QUERY = {"useUAT": True}
_TOKEN = "a-token-of-this-test"


@pytest.fixture(scope="module")
def proxied(gateway: Gateway, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a proxy in front of the tests' gateway."""
    nginx = start_nginx(tmp_path_factory.mktemp("nginx"), [gateway.url.removeprefix("http://")])
    yield nginx.url
    nginx.stop()


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_mcp_clients_of_both_revisions_work_by_path_and_by_token(
    gateway: Gateway, proxied: str, mode: str
) -> None:
    handle = gateway.session()["handle"]
    async with Client(f"{proxied}/s/{handle}/mcp", mode=mode) as client:
        assert (await client.list_tools()).tools
        assert not (await client.call_tool("lark_calendar_v4_calendar_primary", _QUERY)).is_error
    async with fastmcp.Client(f"{proxied}/mcp", auth=handle) as client:
        assert not (await client.call_tool("lark_calendar_v4_calendar_primary", _QUERY)).is_error


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[str]:
    """The address of a proxy in front of a gateway with a token. Behind a proxy no client counts as local."""
    started = start_gateway(tmp_path / "data", "--token", _TOKEN, log=tmp_path / "log")
    (tmp_path / "nginx").mkdir()
    nginx = start_nginx(tmp_path / "nginx", [started.url.removeprefix("http://")])
    yield nginx.url
    nginx.stop()
    stop_gateway(started)


@pytest.mark.long
async def test_a_signed_in_watcher_sees_calls_as_they_happen(guarded: str) -> None:
    body = {"app": "lark", "tool": "calendar_v4_calendar_primary", "arguments": _QUERY}
    signed = {"Authorization": f"Bearer {_TOKEN}"}
    async with httpx2.AsyncClient(base_url=guarded, timeout=60) as client, asyncio.timeout(60):
        form = re.search(r'name="csrf" value="([^"]+)"', (await client.get("/login")).text)
        assert form is not None
        await client.post("/login", data={"csrf": form[1], "token": _TOKEN, "next": "/"})
        made = await client.post("/api/sessions", json={"durability": "memory"}, headers=signed)
        session = made.json()["id"]
        async with client.stream("GET", f"/sessions/{session}/events") as events:
            assert events.headers["content-type"].startswith("text/event-stream")
            await client.post(f"/api/sessions/{session}/calls", json=body, headers=signed)
            async for line in events.aiter_lines():
                if "calendar_v4_calendar_primary" in line.replace("<wbr>", ""):
                    break


def test_a_lost_answer_is_not_retried_by_the_proxy(gateway: Gateway, proxied: str, tmp_path: Path) -> None:
    session = gateway.session(faults={"rules": [{"fault": "lost_ack", "match": {"app": "lark"}}]})
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "calendar_v4_calendarEvent_create",
        "arguments": {"path": {"calendar_id": "primary"}, "data": {
            "summary": "Once", "start_time": {"timestamp": "1795420800"}, "end_time": {"timestamp": "1795424400"}},
            "useUAT": True}}}  # fmt: skip
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    got = httpx2.post(f"{proxied}/s/{session['handle']}/lark/mcp", json=call, headers=headers)
    assert got.status_code == 502  # the answer of nginx to a connection that broke
    assert "Once" not in got.text
    assert len(gateway.journal(session["id"])) == 1
