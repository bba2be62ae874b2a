"""`soundstage serve --workers 2`: distribution of sessions, slow and broken clients, and killed workers and supervisors."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client

from soundstage.gateway.share import share_of
from tests.conftest import (
    Gateway,
    clean_environment,
    soundstage_command,
    start_gateway,
    stop_gateway,
    wait_until,
)
from tests.gateway.agent_requests import request_for
from tests.gateway.serving.processes import WORKERS, alive, children, samples
from tests.gateway.serving.wire import Connection
from tests.ports import free_port

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
SESSIONS = 8
MADE = "task_v2_task_create"


def _mcp(handle: str, summary: str) -> tuple[str, str, dict[str, Any], dict[str, str]]:
    """Return a call in revision 2026-07-28 as the arguments of `Connection.ask`."""
    return "POST", *request_for(handle, summary)


def _calls(gateway: Gateway) -> dict[str, float]:
    """Return the number of tasks that each worker has created."""
    counted = samples(gateway, "soundstage_calls_total")
    return {worker: count for (_, _, tool, worker), count in counted.items() if tool == MADE}


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
async def test_every_call_of_a_session_is_served_by_the_same_worker(workers: Gateway, mode: str) -> None:
    made = [workers.session(durability="durable", world="empty") for _ in range(SESSIONS)]
    before = _calls(workers)

    async def agent(session: dict[str, Any], calls: int) -> None:
        async with Client(session["mcp_url"], mode=mode) as client:
            for number in range(calls):
                called = await client.call_tool(f"lark_{MADE}", {"data": {"summary": f"{number}"}})
                assert not called.is_error

    await asyncio.gather(*(agent(session, number + 1) for number, session in enumerate(made)))
    expected = {str(worker): 0.0 for worker in range(WORKERS)}
    for number, session in enumerate(made):
        assert len(workers.journal(session["id"])) == number + 1
        expected[str(share_of(session["handle"], WORKERS))] += number + 1
    assert {w: count - before.get(w, 0) for w, count in _calls(workers).items()} == {
        w: count for w, count in expected.items() if count or w in before
    }


def test_the_default_session_exists_once(workers: Gateway) -> None:
    _, _, body, headers = _mcp("", "by no name")
    for _ in range(4):
        assert Connection(workers.url).ask("POST", "/mcp", body, headers).status == 200
    named = Connection(workers.url)
    assert named.ask("POST", "/mcp", body, {**headers, "Authorization": "Bearer default"}).status == 200
    (default,) = (s for s in workers.api("GET", "/sessions").json()["sessions"] if s["name"] == "default")
    assert len(workers.journal(default["id"])) == 5


def test_request_heads_may_arrive_slowly_and_in_pieces(workers: Gateway) -> None:
    session = workers.session(durability="durable", world="empty")
    connections = [Connection(workers.url) for _ in range(5)]
    request = connections[0].request(*_mcp(session["handle"], "slow"))
    cuts = [(10 * n + 3, 40 * n + 60) for n in range(len(connections))]
    for connection, (first, _) in zip(connections, cuts, strict=True):
        connection.send(request[:first])
    time.sleep(0.3)
    assert Connection(workers.url).ask("GET", "/healthz").status == 200
    for connection, (first, second) in zip(connections, cuts, strict=True):
        connection.send(request[first:second])
    time.sleep(0.2)
    for connection, (_, second) in zip(connections, cuts, strict=True):
        connection.send(request[second:])
        assert connection.response().status == 200
    assert len(workers.journal(session["id"])) == len(connections)


def test_a_head_that_never_ends_does_not_keep_the_supervisor_busy(workers: Gateway) -> None:
    connections = [Connection(workers.url) for _ in range(50)]
    for connection in connections:
        connection.send(b"POST /s/desk/mcp HTTP/1.1\r\nX-Slow: ")
    spent = _cpu_s(workers.process.pid)
    time.sleep(1.5)
    assert _cpu_s(workers.process.pid) - spent < 0.5
    time.sleep(1)  # by now a worker has the connection
    connections[0].send(b"x\r\nHost: " + workers.url.removeprefix("http://").encode() + b"\r\n\r\n")
    assert connections[0].response().status == 404
    for connection in connections:
        connection.close()


def test_a_long_head_is_judged_by_the_worker(workers: Gateway) -> None:
    connection = Connection(workers.url)
    assert connection.ask("GET", "/healthz", headers={"X-Long": "x" * 40_000}).status in (200, 400, 431)


@pytest.mark.parametrize("data", [b"\x16\x03\x01\x02\x00\x01\x00", b"hello?\r\n\r\n", b"\x00" * 64])
def test_bytes_that_are_not_http_get_the_answer_of_uvicorn(workers: Gateway, data: bytes) -> None:
    connection = Connection(workers.url)
    connection.send(data)
    assert connection.response().status == 400
    assert connection.until_closed() == b""


def test_pipelined_requests_are_answered(workers: Gateway) -> None:
    session = workers.session(durability="durable", world="empty")
    connection = Connection(workers.url)
    one = connection.request(*_mcp(session["handle"], "piped"))
    connection.send(one * 5)
    assert [connection.response().status for _ in range(5)] == [200] * 5
    connection.send(one)
    assert connection.response().status == 200
    assert len(workers.journal(session["id"])) == 6


def test_a_connection_broken_by_a_fault_ends_without_a_byte_at_every_worker(workers: Gateway) -> None:
    rules = [{"fault": "lost_ack", "when": {"call": 1}}]
    made = [workers.session(durability="durable", world="empty", faults={"rules": rules}) for _ in range(SESSIONS)]
    assert len({share_of(session["handle"], WORKERS) for session in made}) == WORKERS
    for session in made:
        connection = Connection(workers.url)
        connection.send(connection.request(*_mcp(session["handle"], "lost")))
        assert connection.until_closed() == b""
        assert Connection(workers.url).ask(*_mcp(session["handle"], "told")).status == 200
        assert [line["reply"] is None for line in workers.journal(session["id"])] == [True, False]


def test_a_midtask_request_reaches_the_open_stream_of_its_session_at_every_worker(workers: Gateway) -> None:
    rules = [{"fault": "new_constraint", "wish": "Please be brief.", "when": {"call": 1}}]
    made = [workers.session(durability="durable", world="empty", faults={"rules": rules}) for _ in range(SESSIONS)]
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    params = {"name": f"lark_{MADE}", "arguments": {"data": {"summary": "x"}}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    assert len({share_of(session["handle"], WORKERS) for session in made}) == WORKERS
    for session in made:
        with httpx2.stream("GET", session["mcp_url"], headers=headers, timeout=60) as stream:
            assert stream.status_code == 200
            assert "result" in httpx2.post(session["mcp_url"], json=body, headers=headers).json()
            assert "Please be brief." in next(line for line in stream.iter_lines() if line.startswith("data: {"))


def test_many_connections_at_once_are_all_served(workers: Gateway) -> None:
    connections = [Connection(workers.url) for _ in range(400)]
    for connection in connections:
        connection.send(connection.request("GET", "/healthz"))
    assert {connection.response().status for connection in connections} == {200}
    for connection in connections:
        connection.close()


@pytest.mark.long
def test_a_killed_worker_is_replaced_and_its_sessions_continue(data: Path) -> None:
    gateway = start_gateway(data, "--workers", str(WORKERS))
    try:
        made = [gateway.session(durability="durable", world="empty") for _ in range(SESSIONS)]
        for session in made:
            assert Connection(gateway.url).ask(*_mcp(session["handle"], "before")).status == 200
        first = children(gateway.process.pid)
        assert len(first) == WORKERS
        os.kill(first[0], signal.SIGKILL)
        wait_until(lambda: not Path(f"/proc/{first[0]}").exists(), "the supervisor knows that it is dead")
        for session in made:  # by the worker that is left
            assert Connection(gateway.url).ask(*_mcp(session["handle"], "between")).status == 200
        wait_until(lambda: len(children(gateway.process.pid)) == WORKERS, "another has been started")
        up = {(str(n),): 1.0 for n in range(WORKERS)}
        wait_until(lambda: samples(gateway, "soundstage_worker_up") == up, "it takes connections")
        for session in made:
            assert Connection(gateway.url).ask(*_mcp(session["handle"], "after")).status == 200
            assert [line["arguments"]["data"]["summary"] for line in gateway.journal(session["id"])] == [
                "before",
                "between",
                "after",
            ]
        assert set(children(gateway.process.pid)) - set(first)
        gateway.process.terminate()
        assert gateway.process.wait(60) == 0
    finally:
        stop_gateway(gateway)


@pytest.mark.long
def test_workers_end_when_their_supervisor_is_killed(data: Path) -> None:
    gateway = start_gateway(data, "--workers", str(WORKERS))
    session = gateway.session(durability="durable", world="empty")
    assert Connection(gateway.url).ask(*_mcp(session["handle"], "once")).status == 200
    started = children(gateway.process.pid)
    gateway.process.kill()
    gateway.process.wait()
    wait_until(lambda: not any(alive(pid) for pid in started), "the workers have ended")
    assert not list(data.rglob("*.db-wal"))


@pytest.mark.long
def test_an_added_upstream_is_known_to_every_worker(workers: Gateway) -> None:
    session = workers.session(world="empty", apps=["lark"])
    servers = {"twin": {"url": f"{workers.url}/s/{session['handle']}/lark/mcp"}}
    assert workers.api("POST", "/upstreams", json={"mcpServers": servers}).status_code == 201
    for _ in range(2 * WORKERS):  # each request uses a new connection, and connections rotate among the workers
        assert [u["name"] for u in workers.api("GET", "/upstreams").json()] == ["twin"]
        assert "twin" in workers.session(world="empty", apps=["slack", "twin"])["apps"]
    assert workers.api("DELETE", "/upstreams/twin").status_code == 204
    for _ in range(2 * WORKERS):
        assert workers.api("GET", "/upstreams").json() == []


@pytest.mark.long
def test_a_terminated_worker_finishes_its_open_requests(data: Path) -> None:
    gateway = start_gateway(data, "--workers", str(WORKERS))
    try:
        session = gateway.session(durability="durable", world="empty")
        first = children(gateway.process.pid)
        connection = Connection(gateway.url)
        assert connection.ask(*_mcp(session["handle"], "first")).status == 200
        for pid in first:
            os.kill(pid, signal.SIGTERM)
        time.sleep(0.4)
        assert connection.ask(*_mcp(session["handle"], "second")).last
        wait_until(lambda: not set(first) & set(children(gateway.process.pid)), "both have ended")
        assert Connection(gateway.url).ask(*_mcp(session["handle"], "third")).status == 200
        assert len(gateway.journal(session["id"])) == 3
    finally:
        stop_gateway(gateway)


@pytest.mark.long
def test_secrets_appear_in_no_command_line_and_no_environment(data: Path) -> None:
    token = "kept-to-ourselves"
    gateway = start_gateway(data, "--workers", str(WORKERS), "--token", token)
    try:
        for pid in children(gateway.process.pid):
            assert token not in Path(f"/proc/{pid}/cmdline").read_text()
            assert token not in Path(f"/proc/{pid}/environ").read_text()
        assert gateway.api("GET", "/sessions", headers={"Authorization": f"Bearer {token}"}).status_code == 200
        assert gateway.api("GET", "/sessions").status_code == 401
    finally:
        stop_gateway(gateway)


@pytest.mark.long
def test_one_worker_is_one_process(data: Path) -> None:
    gateway = start_gateway(data, "--workers", "1")
    try:
        assert children(gateway.process.pid) == []
    finally:
        stop_gateway(gateway)


def test_a_port_in_use_is_reported_before_any_worker_starts(workers: Gateway, data: Path) -> None:
    port = workers.url.rpartition(":")[2]
    command = [*soundstage_command(), "serve", "--workers", "2", "--port", port, "--data", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment(), timeout=60)
    assert done.returncode == 1
    assert f"port {port}" in done.stderr


@pytest.mark.long
def test_the_gateway_ends_if_no_worker_starts(data: Path) -> None:
    (data / "sessions").write_text("no folder, so no session can be made")
    command = [*soundstage_command(), "serve", "--workers", "2", "--port", str(free_port()), "--data", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment(), timeout=60)
    assert done.returncode == 1
    assert "a worker did not come up" in done.stderr
    assert not (data / "gateway.json").exists()


def test_metrics_cover_all_workers_whichever_worker_answers(workers: Gateway) -> None:
    for _ in range(4):  # by each worker in turn
        assert samples(workers, "soundstage_worker_up") == {("0",): 1, ("1",): 1}
        assert set(samples(workers, "soundstage_contexts_open")) == {("0",), ("1",)}
    text = httpx2.get(f"{workers.url}/metrics").text
    assert text.count("# TYPE soundstage_calls_total counter") == 1
    assert "# TYPE soundstage_call_seconds histogram" in text


@pytest.mark.long
def test_an_unresponsive_worker_is_left_out_of_the_metrics(data: Path) -> None:
    gateway = start_gateway(data, "--workers", str(WORKERS))
    stuck, _ = children(gateway.process.pid)
    os.kill(stuck, signal.SIGSTOP)
    try:
        # Connections go to the workers in turn, so one of two consecutive ones is answered.
        connections = [Connection(gateway.url) for _ in range(WORKERS)]
        for connection in connections:
            connection.send(connection.request("GET", "/metrics"))
            time.sleep(0.2)
        ready, _, _ = select.select([connection.socket for connection in connections], [], [], 5)
        (answered,) = (connection for connection in connections if connection.socket in ready)
        up = _up(answered.response().body.decode())
        assert sorted(up.values()) == [0, 1]
        os.kill(stuck, signal.SIGCONT)
        wait_until(lambda: set(samples(gateway, "soundstage_worker_up").values()) == {1}, "all answer again")
    finally:
        os.kill(stuck, signal.SIGCONT)
        stop_gateway(gateway)


@pytest.mark.parametrize("count", ["1", pytest.param("2", marks=pytest.mark.long)])
def test_metrics_need_the_token_if_there_is_one(data: Path, count: str) -> None:
    gateway = start_gateway(data, "--token", "t0ken", "--workers", count)
    try:
        refused = httpx2.get(f"{gateway.url}/metrics")
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        wrong = {"Authorization": "Bearer wrong", "Soundstage-Worker": "x"}
        assert httpx2.get(f"{gateway.url}/metrics", headers=wrong).status_code == 401
        assert httpx2.get(f"{gateway.url}/healthz").status_code == 200
        assert samples(gateway, "soundstage_contexts_open", Authorization="Bearer t0ken")
    finally:
        stop_gateway(gateway)


def _up(text: str) -> dict[str, float]:
    lines = (line for line in text.splitlines() if line.startswith("soundstage_worker_up{"))
    return {line.split('"')[1]: float(line.split()[-1]) for line in lines}


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
