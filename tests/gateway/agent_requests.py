"""Tool calls of an agent as plain HTTP requests of revision 2026-07-28, because a client would hide status and headers."""

from __future__ import annotations

from typing import Any

import httpx2

TOOL = "lark_task_v2_task_create"
_META = "io.modelcontextprotocol"
ENVELOPE = {
    f"{_META}/protocolVersion": "2026-07-28",
    f"{_META}/clientCapabilities": {},
    f"{_META}/clientInfo": {"name": "test", "version": "1"},
}


def request_for(handle: str, summary: str) -> tuple[str, dict[str, Any], dict[str, str]]:
    """Return path, body and headers of the request that makes Lark create a task in a session."""
    params = {"_meta": ENVELOPE, "name": TOOL, "arguments": {"data": {"summary": summary}}}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": TOOL,
    }
    return f"/s/{handle}/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, headers


def ask(
    url: str,
    handle: str,
    summary: str = "x",
    *,
    client: httpx2.Client | None = None,
    headers: dict[str, str] | None = None,
) -> httpx2.Response:
    """Make Lark create a task in a session, with further `headers`."""
    path, body, needed = request_for(handle, summary)
    post = httpx2.post if client is None else client.post
    return post(f"{url}{path}", json=body, headers={**needed, **(headers or {})}, timeout=30)


def done(response: httpx2.Response) -> bool:
    """Return whether the app carried out the call."""
    return (
        response.status_code == 200 and "result" in (answer := response.json()) and not answer["result"].get("isError")
    )


def refusal(response: httpx2.Response) -> str:
    """Return the error message of a refused request."""
    error: Any = response.json()["error"]
    return str(error["message"] if isinstance(error, dict) else error)


def metric(url: str, name: str, *, token: str | None = None, **labels: str) -> float:
    """Return a value of /metrics, summed over all series that match `labels`, or 0 if the metric has no samples."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    response = httpx2.get(f"{url}/metrics", headers=headers, timeout=30)
    assert response.status_code == 200, response.text
    total = 0.0
    for line in response.text.splitlines():
        named = line.split("{")[0].split(" ")[0] == name
        if named and all(f'{label}="{value}"' in line for label, value in labels.items()):
            total += float(line.rpartition(" ")[2])
    return total
