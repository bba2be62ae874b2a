"""Error messages for invalid MCP requests: readable, and as JSON, in either revision of MCP."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.conftest import Gateway
from tests.gateway.agent_requests import ENVELOPE

_JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}
BEFORE = {**_JSON, "MCP-Protocol-Version": "2025-11-25"}
SINCE = {**_JSON, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
both = pytest.mark.parametrize("headers", [BEFORE, SINCE], ids=["2025-11-25", "2026-07-28"])


@pytest.fixture(scope="module")
def address(gateway: Gateway) -> str:
    url: str = gateway.session(world="empty")["mcp_url"]
    return url


def message_of(response: httpx2.Response, status: int) -> str:
    """Return the message of a refusal with this status."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    error = response.json()["error"]
    assert response.json()["jsonrpc"] == "2.0"
    assert isinstance(error["code"], int)
    message: str = error["message"]
    assert "pydantic" not in message
    return message


@pytest.mark.parametrize("version", ["2031-01-01", "latest", ""])
def test_an_unsupported_revision_is_refused_with_the_supported_ones(address: str, version: str) -> None:
    plain = {k: v for k, v in LIST.items() if k != "params"}
    response = httpx2.post(address, json=plain, headers={**_JSON, "MCP-Protocol-Version": version})
    message = message_of(response, 400)
    assert version in message
    assert "spoken here: 2026-07-28, 2025-11-25" in message
    assert response.json()["error"]["code"] == -32022
    assert response.json()["error"]["data"]["requested"] == version


@both
@pytest.mark.parametrize(
    ("body", "word"),
    [
        *((body, "") for body in (b"[]", b"[{}]", b'"x"', b"7", b"null", b"{}")),
        *((body, "JSON") for body in (b"", b"hi")),
    ],
)
def test_an_invalid_message_is_refused_with_the_expected_form(
    address: str, headers: dict[str, str], body: bytes, word: str
) -> None:
    message = message_of(httpx2.post(address, content=body, headers=headers), 400)
    assert (word or "JSON-RPC request or notification") in message
    assert len(message) < 250


@both
def test_a_wrong_content_type_is_named_in_the_refusal(address: str, headers: dict[str, str]) -> None:
    response = httpx2.post(address, json=LIST, headers={**headers, "Content-Type": "text/plain"})
    assert "'text/plain'; send application/json" in message_of(response, 400)


@both
@pytest.mark.parametrize(("accept", "named"), [("", "there is no Accept"), ("text/html", "'text/html'")])
def test_a_client_that_does_not_accept_json_is_refused_with_the_accepted_types(
    address: str, headers: dict[str, str], accept: str, named: str
) -> None:
    message = message_of(httpx2.post(address, json=LIST, headers={**headers, "Accept": accept}), 406)
    assert named in message
    assert "send application/json, text/event-stream" in message


@both
def test_other_http_methods_are_refused(address: str, headers: dict[str, str]) -> None:
    assert "PUT" in message_of(httpx2.put(address, json=LIST, headers=headers), 405)


@both
def test_missing_parameters_are_named(address: str, headers: dict[str, str]) -> None:
    call = {**LIST, "method": "tools/call"}
    response = httpx2.post(address, json=call, headers={**headers, "Mcp-Method": "tools/call"})
    assert "tools/call: params.name: Field required" in response.json()["error"]["message"]
    assert response.json()["error"]["code"] == -32602


def test_an_unknown_bearer_token_is_refused_as_unauthorized(gateway: Gateway) -> None:
    response = httpx2.post(f"{gateway.url}/mcp", json=LIST, headers={**SINCE, "Authorization": "Bearer nobody"})
    assert "no session has this handle" in message_of(response, 401)
    assert response.headers["www-authenticate"] == "Bearer"


@both
@pytest.mark.parametrize("listing", ["all", "search"])
def test_an_unknown_tool_name_is_refused_with_similar_names(
    gateway: Gateway, headers: dict[str, str], listing: str
) -> None:
    session = gateway.session(world="empty", tools=listing)

    def call(name: str) -> dict[str, Any]:
        params = {"_meta": ENVELOPE, "name": name, "arguments": {"text": "x"}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        sent = {**headers, "Mcp-Method": "tools/call", "Mcp-Name": name}
        answer: dict[str, Any] = httpx2.post(session["mcp_url"], json=body, headers=sent).json()
        return answer

    for name in ("slack_slack_post_message", "slack_post_mesage", "post_message", "slack_send_message"):
        error = call(name)["error"]
        assert error["code"] == -32602
        assert error["message"].startswith(f"Unknown tool: {name}. Did you mean ")
        assert "slack_post_message" in error["message"].partition("Did you mean")[2]
        assert ("search_tools finds" if listing == "search" else "tools/list names") in error["message"]
    assert "Did you mean" not in call("zzz")["error"]["message"]
    assert "result" in call("slack_post_message")
    lines = gateway.journal(session["id"])
    assert [(line["tool"], line["error_kind"]) for line in lines[:2]] == [
        ("slack_slack_post_message", "unknown_tool"),
        ("slack_post_mesage", "unknown_tool"),
    ]
    assert not any(line["changes"] for line in lines[:5])
