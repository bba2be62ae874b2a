"""A connection that the other side ends as it begins, like that of a server that is killed while clients connect."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import httpcore2
import pytest
import uvloop
from starlette.types import Message

from soundstage.gateway.cluster.forward import Forwarder, Outcome
from soundstage.gateway.connections import Backend
from soundstage.gateway.registry.leases import Peer
from soundstage.gateway.serving.merge import MetricsMerge


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A port whose connections are aborted right after they open."""
    connect = httpcore2.AnyIOBackend.connect_tcp

    async def connect_and_lose(self: httpcore2.AnyIOBackend, *where: object) -> httpcore2.AsyncNetworkStream:
        stream = await connect(self, *where)  # type: ignore[arg-type]
        stream._stream._transport.abort()  # type: ignore[attr-defined]
        await asyncio.sleep(0.01)
        return stream

    monkeypatch.setattr(httpcore2.AnyIOBackend, "connect_tcp", connect_and_lose)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_a_connection_aborted_at_once_raises_a_connect_error(port: int) -> None:
    with pytest.raises(httpcore2.ConnectError, match=f"127.0.0.1 port {port} ended the connection as it began"):
        uvloop.run(Backend().connect_tcp("127.0.0.1", port))


def test_a_request_on_an_aborted_connection_counts_as_not_sent(port: int) -> None:
    scope = {"method": "POST", "raw_path": b"/s/x/mcp", "query_string": b"", "headers": [(b"host", b"x")]}

    async def send(message: Message) -> None:
        raise AssertionError(message)

    async def forward() -> Outcome:
        forwarder = Forwarder("vol")
        try:
            return await forwarder.forward(Peer("gw_0", f"http://127.0.0.1:{port}", "key", "vol"), scope, b"", send)
        finally:
            await forwarder.close()

    assert uvloop.run(forward()) is Outcome.UNREACHABLE


def test_a_worker_killed_during_a_metrics_scrape_is_reported_as_down(port: int) -> None:
    merge = MetricsMerge(0, 2, "key")
    merge.peers = {1: f"http://127.0.0.1:{port}"}
    shown = uvloop.run(merge.all_workers(b"")).decode()
    assert 'soundstage_worker_up{worker="0"} 1.0' in shown
    assert 'soundstage_worker_up{worker="1"} 0.0' in shown
