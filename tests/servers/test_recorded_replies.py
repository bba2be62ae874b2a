"""Recorded calls of the real servers, played through the MCP face: flags equal, every stated part of the reply there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from soundstage.servers.catalogue import app_names
from tests.conftest import Gateway, shared_file


@pytest.mark.parametrize("app", app_names())
async def test_recorded_calls_are_answered_as_the_real_server_did(gateway: Gateway, app: str) -> None:
    misses: list[str] = []
    for line in shared_file("traces", f"{app}.jsonl").read_text().splitlines():
        trace = json.loads(line)
        if miss := await _miss(gateway, app, trace):
            misses.append(f"{trace['id']} {trace['tool']}: {miss}")
    assert not misses, "\n".join(misses)


async def _miss(gateway: Gateway, app: str, trace: dict[str, Any]) -> str | None:
    session = gateway.session(world="empty", clock={"at": trace["clock"]} if trace.get("clock") else {})
    put = gateway.api("PUT", f"/sessions/{session['id']}/state", json={app: trace["given"]})
    assert put.status_code == 200, put.text
    async with Client(session["apps"][app], mode="2026-07-28") as client:
        try:
            result = await client.call_tool(trace["tool"], trace["arguments"])
        except MCPError as error:
            channel, is_error, text = "jsonrpc_error", None, error.error.message
        else:
            channel, is_error = "result", bool(result.is_error)
            text = "".join(getattr(block, "text", "") for block in result.content)
    gateway.api("DELETE", f"/sessions/{session['id']}")
    expected = trace["expect"]
    if channel != expected.get("channel", "result"):
        return f"answered on {channel}: {text}"
    if expected["is_error"] is not None and channel == "result" and is_error != expected["is_error"]:
        return f"is_error {is_error}: {text}"
    missing = [part for part in expected["must_contain"] if part not in text]
    return f"{missing} not in {text}" if missing else None
