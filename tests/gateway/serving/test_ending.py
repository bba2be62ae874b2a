"""SIGTERM: open requests are answered, new ones are refused, and everything is on disk afterwards."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Gateway, start_gateway, stop_gateway
from tests.gateway.serving.wire import Broken, Connection

CLIENTS = 6
ONE, TWO = "1", "2"
TWO_TAKES_LONGER = pytest.mark.parametrize(
    "ending", [ONE, pytest.param(TWO, marks=pytest.mark.long)], indirect=True, ids=["one process", "two workers"]
)
LATE = {"rules": [{"fault": "latency", "distribution": "constant", "ms": 1500}]}


@pytest.fixture
def ending(data: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Gateway]:
    """A gateway that the test ends."""
    started = start_gateway(data, "--workers", request.param, log=tmp_path / "log")
    yield started
    stop_gateway(started)


def _add_task(number: int) -> dict[str, Any]:
    return {"app": "lark", "tool": "task_v2_task_create", "arguments": {"data": {"summary": f"task {number}"}}}


def _begin_to_end(gateway: Gateway) -> None:
    """Send SIGTERM and wait until the gateway reports it."""
    probe = Connection(gateway.url)
    assert probe.ask("GET", "/healthz").status == 200
    gateway.process.terminate()
    while not probe.ask("GET", "/healthz").last:
        time.sleep(0.02)
    time.sleep(0.1)  # for the other worker


class _Client(threading.Thread):
    """Sends requests without a pause over one persistent connection until nothing listens any more."""

    def __init__(self, gateway: Gateway, path: str) -> None:
        super().__init__()
        self._url, self._path = gateway.url, path
        self.steps: list[int] = []
        self.told_to_go = 0
        self.broken: str | None = None

    def run(self) -> None:
        connection: Connection | None = None
        for number in range(1_000_000):
            try:
                connection = connection or Connection(self._url)
            except OSError:  # refused, so nothing was sent
                return
            try:
                response = connection.ask("POST", self._path, _add_task(number))
            except (Broken, OSError) as error:
                self.broken = repr(error)
                return
            assert response.status == 200, response
            self.steps.append(response.json()["step"])
            if response.last:
                self.told_to_go += 1
                connection.close()
                connection = None


@pytest.mark.long
@pytest.mark.parametrize(
    ("ending", "number"),
    [(ONE, signal.SIGTERM), (TWO, signal.SIGTERM), (TWO, signal.SIGINT)],
    indirect=["ending"],
    ids=["one process", "two workers", "interrupt"],
)
def test_clients_that_send_requests_without_pause_see_no_broken_request(
    ending: Gateway, number: signal.Signals
) -> None:
    sessions = [ending.session(durability="durable", world="empty", name=f"s{n}") for n in range(CLIENTS)]
    clients = [_Client(ending, f"/api/sessions/{made['id']}/calls") for made in sessions]
    for client in clients:
        client.start()
    time.sleep(0.5)
    ending.process.send_signal(number)
    assert ending.process.wait(60) == 0
    for client in clients:
        client.join()
    assert [client.broken for client in clients] == [None] * CLIENTS
    assert all(client.told_to_go for client in clients)
    assert not list(ending.data.rglob("*.db-wal"))  # all content is in the databases themselves
    assert not (ending.data / "gateway.json").exists()

    again = start_gateway(ending.data)
    try:
        for made, client in zip(sessions, clients, strict=True):
            assert again.api("GET", f"/sessions/{made['id']}").json()["step"] == client.steps[-1] == len(client.steps)
    finally:
        stop_gateway(again)


class _Knocker(threading.Thread):
    """Opens a connection for each request, until nothing listens any more."""

    def __init__(self, gateway: Gateway) -> None:
        super().__init__()
        self._url = gateway.url
        self.answered = 0
        self.broken: list[str] = []

    def run(self) -> None:
        while True:
            try:
                connection = Connection(self._url)
            except OSError:
                return
            try:
                assert connection.ask("GET", "/healthz").status in (200, 503)
                self.answered += 1
            except (Broken, OSError) as error:
                self.broken.append(repr(error))
            connection.close()


@pytest.mark.long
@TWO_TAKES_LONGER
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a socket cannot be closed without resetting some")
def test_an_accepted_connection_is_answered(ending: Gateway) -> None:
    knockers = [_Knocker(ending) for _ in range(CLIENTS)]
    for knocker in knockers:
        knocker.start()
    time.sleep(0.5)
    ending.process.terminate()
    assert ending.process.wait(60) == 0
    for knocker in knockers:
        knocker.join()
    assert [knocker.broken for knocker in knockers] == [[]] * CLIENTS
    assert all(knocker.answered for knocker in knockers)


@pytest.mark.long
@TWO_TAKES_LONGER
def test_a_slow_call_gets_its_answer(ending: Gateway) -> None:
    made = ending.session(durability="durable", faults=LATE, world="empty")
    connection = Connection(made["mcp_url"])
    connection.send(connection.request("POST", f"/api/sessions/{made['id']}/calls", _add_task(1)))
    time.sleep(0.4)
    ending.process.terminate()
    response = connection.response()
    assert (response.status, response.json()["ok"], response.last) == (200, True, True)
    assert connection.until_closed() == b""
    assert ending.process.wait(60) == 0


@TWO_TAKES_LONGER
def test_requests_in_flight_are_answered(ending: Gateway) -> None:
    made = ending.session(durability="durable", world="empty")
    path = f"/api/sessions/{made['id']}/calls"
    half, idle, silent = (Connection(ending.url) for _ in range(3))
    request = half.request("POST", path, _add_task(1))
    half.send(request[:30])
    assert idle.ask("GET", "/healthz").status == 200
    _begin_to_end(ending)
    assert idle.ask("GET", "/healthz").last
    half.send(request[30:-10])
    time.sleep(0.5)
    half.send(request[-10:])
    response = half.response()
    assert (response.status, response.last) == (200, True)
    assert silent.until_closed() == b""
    assert ending.process.wait(60) == 0


@pytest.mark.long
@TWO_TAKES_LONGER
def test_a_draining_gateway_reports_it_and_creates_no_sessions(ending: Gateway) -> None:
    made = ending.session(durability="durable", faults=LATE, world="empty")
    waiting, asking, making, forking = (Connection(ending.url) for _ in range(4))
    for connection in (asking, making, forking):
        assert connection.ask("GET", "/healthz").json() == {"status": "ok"}
    waiting.send(waiting.request("POST", f"/api/sessions/{made['id']}/calls", _add_task(1)))
    time.sleep(0.3)
    _begin_to_end(ending)
    health = asking.ask("GET", "/healthz")
    assert (health.status, health.json()) == (503, {"status": "draining"})
    for connection, path in ((making, "/api/sessions"), (forking, f"/api/sessions/{made['id']}/fork")):
        refused = connection.ask("POST", path, {})
        assert refused.status == 503
        assert int(refused.headers["retry-after"]) > 0
        assert "ending" in refused.json()["error"]
    assert waiting.response().status == 200
    assert ending.process.wait(60) == 0


@pytest.mark.long
@TWO_TAKES_LONGER
def test_event_streams_do_not_delay_the_end(ending: Gateway) -> None:
    made = ending.session(durability="durable", world="empty")
    watcher = Connection(ending.url)
    watcher.send(watcher.request("GET", f"/sessions/{made['id']}/events"))
    assert watcher.socket.recv(100).startswith(b"HTTP/1.1 200")
    began = time.monotonic()
    ending.process.terminate()
    assert ending.process.wait(60) == 0
    assert time.monotonic() - began < 15


@pytest.mark.long
@TWO_TAKES_LONGER
def test_a_second_signal_ends_it_at_once(ending: Gateway) -> None:
    made = ending.session(durability="durable", faults={"rules": [{**LATE["rules"][0], "ms": 20_000}]}, world="empty")
    connection = Connection(ending.url)
    connection.send(connection.request("POST", f"/api/sessions/{made['id']}/calls", _add_task(1)))
    time.sleep(0.3)
    began = time.monotonic()
    ending.process.terminate()
    time.sleep(0.5)
    ending.process.terminate()
    assert ending.process.wait(60) == 1
    assert time.monotonic() - began < 15
