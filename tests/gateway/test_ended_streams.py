"""Streams of sessions that end: the response is completed when the session is deleted or expires."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx2
import pytest

from soundstage.gateway.settings import Settings
from tests import built_worlds
from tests.conftest import START_S
from tests.gateway.agent_requests import ask, done
from tests.gateway.upstream.conftest import EVERYTHING, running
from tests.runs.conftest import serve

UPSTREAM = "everything"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A gateway in a thread of this process, with one upstream."""
    with ExitStack() as stack:
        _, port = stack.enter_context(running(EVERYTHING, "http"))
        server, thread, own = serve(Settings(data=tmp_path_factory.mktemp("ended"), built=built_worlds.folder()))
        url = f"http://127.0.0.1:{own}"
        declared = {"mcpServers": {UPSTREAM: {"url": f"http://127.0.0.1:{port}/mcp"}}}
        added = httpx2.post(f"{url}/api/upstreams", json=declared, timeout=START_S)
        assert added.status_code == 201, added.text
        yield url
        server.should_exit = True
        thread.join()


def _made(url: str, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = httpx2.post(f"{url}/api/sessions", json={"world": "empty", **more}, timeout=START_S).json()
    return made


def _path(kind: str, made: dict[str, Any]) -> str:
    if kind == "page":
        return f"/sessions/{made['id']}/events"
    return f"/s/{made['handle']}/mcp"


def _until_end(client: httpx2.Client, address: str, end: Any) -> list[str]:
    """Open a stream, call `end`, and return its lines once the response is complete. The read timeout fails the test."""
    headers = {"Accept": "text/event-stream, application/json", "MCP-Protocol-Version": "2025-11-25"}
    with client.stream("GET", address, headers=headers, timeout=START_S) as response:
        assert response.status_code == 200
        assert "text/event-stream" in response.headers["content-type"]
        end()
        return list(response.iter_lines())


@pytest.mark.parametrize("durability", ["memory", "durable"])
@pytest.mark.parametrize("kind", ["MCP", "page"])
def test_a_stream_ends_when_its_session_is_deleted(url: str, kind: str, durability: str) -> None:
    made = _made(url, durability=durability)
    assert done(ask(url, made["handle"]))
    with httpx2.Client() as client:
        lines = _until_end(
            client, url + _path(kind, made), lambda: httpx2.delete(f"{url}/api/sessions/{made['id']}", timeout=START_S)
        )
    assert (kind == "page") == any("gone" in line for line in lines)
    assert httpx2.get(url + _path(kind, made), timeout=START_S).status_code in (404, 406)


@pytest.mark.parametrize("kind", ["MCP", "page"])
def test_a_stream_ends_when_its_session_expires(url: str, kind: str) -> None:
    made = _made(url, durability="memory", ttl=2)
    with httpx2.Client() as client:
        _until_end(client, url + _path(kind, made), lambda: None)
    assert ask(url, made["handle"]).status_code == 410


def test_a_stream_stays_open_while_its_session_exists(url: str) -> None:
    made = _made(url, durability="memory")
    headers = {"Accept": "text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    opened = httpx2.stream("GET", url + _path("MCP", made), headers=headers, timeout=2.5)
    with opened as response, pytest.raises(httpx2.ReadTimeout):
        response.read()


def test_a_stream_of_an_upstream_ends_when_its_session_expires(url: str) -> None:
    made = _made(url, durability="memory", ttl=4)
    address = f"{url}/s/{made['handle']}/{UPSTREAM}/mcp"
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info}
    greeted = httpx2.post(address, json=body, headers=headers, timeout=START_S)
    assert greeted.status_code == 200, greeted.text
    headers["Mcp-Session-Id"] = greeted.headers["mcp-session-id"]
    with httpx2.Client() as client, client.stream("GET", address, headers=headers, timeout=START_S) as response:
        assert response.status_code == 200, response.read()
        list(response.iter_lines())
    assert httpx2.get(address, headers=headers, timeout=START_S).status_code == 410
