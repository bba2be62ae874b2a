"""Calls of an agent as plain HTTP requests of revision 2026-07-28, where a client would hide status and headers."""

from __future__ import annotations

from typing import Any

import httpx2

_META = "io.modelcontextprotocol"
_ENVELOPE = {
    f"{_META}/protocolVersion": "2026-07-28",
    f"{_META}/clientCapabilities": {},
    f"{_META}/clientInfo": {"name": "test", "version": "1"},
}


def ask(url: str, handle: str, summary: str, *, client: httpx2.Client | None = None) -> httpx2.Response:
    """Have Lark make a task in a session."""
    tool = "lark_task_v2_task_create"
    params = {"_meta": _ENVELOPE, "name": tool, "arguments": {"data": {"summary": summary}}}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    post = httpx2.post if client is None else client.post
    return post(f"{url}/s/{handle}/mcp", json=body, headers=headers, timeout=30)


def done(response: httpx2.Response) -> bool:
    """Whether the app did it."""
    return (
        response.status_code == 200 and "result" in (answer := response.json()) and not answer["result"].get("isError")
    )


def refusal(response: httpx2.Response) -> str:
    """What a refused request was told."""
    error: Any = response.json()["error"]
    return str(error["message"] if isinstance(error, dict) else error)


def metric(url: str, sample: str, **headers: str) -> float:
    """One sample of /metrics, such as `backlot_refused_total{reason="rate"}`; 0 where there is none yet."""
    response = httpx2.get(f"{url}/metrics", headers=headers, timeout=30)
    assert response.status_code == 200, response.text
    lines = (line.rpartition(" ") for line in response.text.splitlines())
    return next((float(value) for name, _, value in lines if name == sample), 0.0)
