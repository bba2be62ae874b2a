"""Adding upstreams to a running gateway, and the restrictions on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from mcp.client import Client

from tests.conftest import Gateway, start_gateway, stop_gateway
from tests.gateway.upstream.conftest import ODD, program

Before = Callable[..., Gateway]


async def test_an_upstream_joins_and_leaves_a_running_gateway(before: Before, everything_http: str) -> None:
    gateway = before({})
    session = gateway.session()
    answer = gateway.api("POST", "/upstreams", json={"mcpServers": {"web": {"url": everything_http}}})
    assert answer.status_code == 201
    assert (answer.json()[0]["name"], answer.json()[0]["status"], answer.json()[0]["declared"]) == (
        "web",
        "up",
        "control",
    )
    async with Client(session["mcp_url"]) as client:
        assert "web_echo" in {t.name for t in (await client.list_tools()).tools}
    shown = gateway.api("GET", f"/sessions/{session['id']}").json()
    assert shown["apps"].keys() - session["apps"].keys() == {"web"}
    assert gateway.api("GET", "/sessions").json()["sessions"][0]["apps"] == shown["apps"]
    async with Client(shown["apps"]["web"]) as client:
        assert "echo" in {t.name for t in (await client.list_tools()).tools}
    again = gateway.api("POST", "/upstreams", json={"mcpServers": {"web": {"url": everything_http}}})
    assert again.status_code == 400
    assert "remove it first" in again.json()["error"]
    assert gateway.api("DELETE", "/upstreams/web").status_code == 204
    assert gateway.api("DELETE", "/upstreams/web").status_code == 404
    async with Client(session["mcp_url"]) as client:
        assert "web_echo" not in {t.name for t in (await client.list_tools()).tools}


def test_a_session_with_selected_apps_has_only_their_addresses(front: Gateway) -> None:
    chosen = front.session(apps=["lark", "web"])
    assert list(chosen["apps"]) == ["lark", "web"]
    assert list(front.session(apps=["lark"])["apps"]) == ["lark"]
    person = front.session(world="studio", apps=["lark", "web"], user="lin_yue")
    seat = front.api("POST", f"/sessions/{person['id']}/seats", json={"user": "sofia_duarte"}).json()
    assert seat["apps"]["web"] == f"{front.url}/s/{seat['handle']}/web/mcp"


@pytest.mark.parametrize(
    ("servers", "status", "message"),
    [
        ({"x": {"command": "cat"}}, 403, "--upstream FILE"),
        ({"x": {"url": "http://127.0.0.1/mcp", "headers": {"A": "${HOME}"}}}, 400, "variables such as"),
        ({"x": {"url": "http://10.0.0.1/mcp"}}, 400, "--allow-private"),
        ({"x": {"url": "http://169.254.169.254/mcp"}}, 400, "--allow-private"),
        ({"x": {}}, 400, 'mcpServers.x: expected either "command"'),
        ({"lark": {"url": "http://127.0.0.1/mcp"}}, 400, "is a simulated app"),
        (5, 400, "mcpServers"),
    ],
)
def test_without_a_token_only_addresses_are_accepted(
    front: Gateway, servers: object, status: int, message: str
) -> None:
    answer = front.api("POST", "/upstreams", json={"mcpServers": servers})
    assert answer.status_code == status
    assert message in answer.json()["error"]


@pytest.mark.long
def test_with_the_token_commands_and_variables_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UPSTREAM_TEST_WAY", "fine")
    gateway = start_gateway(tmp_path / "data", "--token", "admin-token", "--allow-private")
    try:
        body = {"mcpServers": {"odd": program(ODD, "stdio", "${UPSTREAM_TEST_WAY}")}}
        headers = {"Authorization": "Bearer admin-token"}
        assert httpx2.post(f"{gateway.url}/api/upstreams", json=body).status_code == 401
        answer = gateway.api("POST", "/upstreams", json=body, headers=headers)
        assert (answer.status_code, answer.json()[0]["status"]) == (201, "up")
        away = {"mcpServers": {"away": {"url": "http://10.255.255.1:9/mcp", "timeout": 1}}}
        assert gateway.api("POST", "/upstreams", json=away, headers=headers).status_code == 201
    finally:
        stop_gateway(gateway)
