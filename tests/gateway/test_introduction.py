"""The introduction that a client gets before its first call does not differ from a real server's unless the session asks for
it.
"""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp_types import Implementation

from tests.conftest import Gateway
from tests.gateway.agent_requests import ENVELOPE

_TELLING = ("simulat", "soundstage", "not real", "sandbox", "fake", "mock", "nothing here", "test double")
MODES: list[Any] = ["auto", "legacy"]


async def _learned(url: str, mode: Any) -> tuple[str, str, str | None]:
    async with Client(url, mode=mode) as client:
        assert client.server_info is not None
        return client.server_info.name, client.server_info.version, client.instructions


@pytest.mark.parametrize("mode", MODES)
async def test_a_shared_address_does_not_mention_a_simulation(gateway: Gateway, mode: Any) -> None:
    session = gateway.session(world="empty")
    assert await _learned(session["mcp_url"], mode) == ("apps", "1.0.0", None)


@pytest.mark.parametrize("mode", MODES)
async def test_a_session_may_choose_how_it_introduces_itself(gateway: Gateway, mode: Any) -> None:
    server = {"name": "office", "version": "4.2", "instructions": "Every tool's name starts with its app."}
    session = gateway.session(world="empty", server=server)
    assert await _learned(session["mcp_url"], mode) == tuple(server.values())
    alone = await _learned(session["apps"]["lark"], mode)
    assert alone[0] == "Feishu/Lark MCP Server"
    assert alone[2] is None


async def test_no_tool_and_no_refusal_reveals_the_simulation(gateway: Gateway) -> None:
    session = gateway.session()
    async with Client(session["mcp_url"]) as client:
        texts = [tool.model_dump_json() for tool in (await client.list_tools()).tools]
        for name, arguments in (
            ("search_tools", {}),
            ("describe_tool", {"name": "x"}),
            ("lark_nothing", {}),
            ("x", {}),
        ):
            try:
                texts.append((await client.call_tool(name, arguments)).model_dump_json())
            except Exception as refusal:
                texts.append(str(refusal))
    for path in (f"/s/{session['handle']}/nothing/mcp", "/s/nobody/mcp"):
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}
        texts.append(httpx2.post(gateway.url + path, json=body).text)
    for text in texts:
        assert not [word for word in _TELLING if word in json.dumps(text).lower()], text


def test_an_invalid_introduction_is_refused(gateway: Gateway) -> None:
    for server in ({"name": ""}, {"title": "x"}, "office"):
        assert gateway.api("POST", "/sessions", json={"world": "empty", "server": server}).status_code == 422


@pytest.mark.parametrize(("mode", "client_text"), [("auto", "probe/3.1 (2026-07-28)"), ("legacy", "(2025-11-25)")])
async def test_the_journal_names_the_client_of_each_call(gateway: Gateway, mode: Any, client_text: str) -> None:
    session = gateway.session()
    async with Client(session["mcp_url"], mode=mode, client_info=Implementation(name="probe", version="3.1")) as client:
        await client.call_tool("lark_calendar_v4_calendar_primary", {"useUAT": True})
        await client.call_tool("search_tools", {"query": "calendar"})
    assert [line["client"] for line in gateway.journal(session["id"])] == [client_text, client_text]
