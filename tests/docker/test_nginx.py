"""docker/nginx.conf run unchanged by a real nginx in front of two small servers that return their names."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.conftest import REPOSITORY
from tests.docker.echo import PIECES
from tests.ports import free_port
from tests.services import Service, nginx_command, start_nginx

_HANDLES = [f"Handle{number:02d}-s3cret" for number in range(24)]


@dataclass(slots=True)
class Backend:
    """One of the servers behind the proxy."""

    name: str
    port: int
    process: subprocess.Popen[bytes]

    def seen(self) -> list[str]:
        """Return the bodies that it has received."""
        bodies: list[str] = httpx2.get(f"http://127.0.0.1:{self.port}/?do=seen").json()["seen"]
        return bodies

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@dataclass(slots=True)
class Front:
    """nginx with its two backends."""

    nginx: Service
    backends: dict[str, Backend]
    client: httpx2.Client

    @property
    def url(self) -> str:
        return self.nginx.url

    def who(self, path: str, **headers: str) -> str:
        """Return the name of the backend that answers a call."""
        reply = self.client.post(path, content=b"{}", headers=headers)
        assert reply.status_code == 200, reply.text
        name: str = reply.json()["name"]
        return name

    def handle_of(self, name: str) -> str:
        """Return a handle whose requests go to this backend."""
        return next(h for h in _HANDLES if self.who(f"/s/{h}/mcp") == name)


def start_backend(name: str, port: int) -> Backend:
    process = subprocess.Popen([sys.executable, "-m", "tests.docker.echo", str(port), name], cwd=REPOSITORY)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return Backend(name, port, process)
    process.kill()
    raise AssertionError("the echo server did not answer")


@pytest.fixture
def front(tmp_path: Path) -> Iterator[Front]:
    ports = {"one": free_port(), "two": free_port()}
    nginx = start_nginx(tmp_path, [f"127.0.0.1:{p}" for p in ports.values()])
    backends = {name: start_backend(name, port) for name, port in ports.items()}
    limits = httpx2.Limits(max_connections=100)
    with httpx2.Client(base_url=nginx.url, timeout=30, limits=limits) as client:
        yield Front(nginx, backends, client)
    nginx.stop()
    for backend in backends.values():
        backend.kill()


def test_nginx_accepts_the_configuration(tmp_path: Path) -> None:
    done = subprocess.run(
        [*nginx_command(tmp_path, ["127.0.0.1:8701", "127.0.0.1:8702"], 8700), "-t"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "[warn]" not in done.stderr


def test_nginx_accepts_the_gateways_of_the_compose_file(tmp_path: Path) -> None:
    command = nginx_command(tmp_path, [], 8700)
    version = re.search(
        r"nginx/(\d+)\.(\d+)\.(\d+)", subprocess.run([command[0], "-v"], capture_output=True, text=True).stderr
    )
    assert version is not None
    if tuple(map(int, version.groups())) < (1, 27, 3):
        pytest.skip(f"{version.group()} does not look up names while it runs; the image's does")
    (tmp_path / "nginx" / "gateways.conf").write_text((REPOSITORY / "docker" / "nginx" / "gateways.conf").read_text())
    done = subprocess.run([*command, "-t"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_session_stays_with_one_gateway_for_every_form_of_its_address(front: Front) -> None:
    used = set()
    for handle in _HANDLES:
        addresses = {
            front.who(f"/s/{handle}/mcp"),
            front.who(f"/s/{handle}/lark/mcp"),
            front.who(f"/s/{handle}/mcp?x=1"),
            front.who(f"/s/{handle.replace('-', '%2D')}/mcp"),
            front.who(f"/s//./{handle}/mcp"),
            front.who("/mcp", Authorization=f"Bearer {handle}"),
            front.who("/mcp", Authorization=f"bearer  {handle}"),
        }
        assert len(addresses) == 1, handle
        used |= addresses
    assert used == {"one", "two"}


def test_the_gateway_sees_the_host_that_the_client_requested(front: Front) -> None:
    claimed = {"X-Forwarded-For": "203.0.113.9", "Soundstage-Peer": "made-up", "Soundstage-Volume": "vol_made_up"}
    reply = front.client.post("/s/h/mcp?a=%2Fb", content=b"{}", headers=claimed).json()
    assert reply["path"] == "/s/h/mcp?a=%2Fb"
    assert reply["headers"]["host"] == front.url.removeprefix("http://")
    assert reply["headers"]["x-forwarded-for"] == "127.0.0.1"
    assert reply["headers"]["x-forwarded-proto"] == "http"
    assert not {"soundstage-peer", "soundstage-volume"} & reply["headers"].keys()


def test_bodies_up_to_the_gateways_limit_pass_and_larger_ones_are_refused(front: Front) -> None:
    limit = 8 * 1024 * 1024
    assert front.client.post("/s/h/mcp", content=b"x" * limit).json()["bytes"] == limit
    refused = front.client.post("/s/h/mcp", content=b"x" * (limit + 1))
    assert refused.status_code == 413
    assert "8 MB" in refused.json()["error"]


def test_requests_of_one_handle_are_limited_without_affecting_others(front: Front) -> None:
    def ask(path: str) -> httpx2.Response:
        return front.client.post(path, content=b"{}")

    with ThreadPoolExecutor(100) as pool:
        busy = [pool.submit(ask, "/s/busy/mcp?do=wait&s=5") for _ in range(80)]
        while sum(b.done() for b in busy) < 80 - 64:
            time.sleep(0.02)
        assert ask("/s/quiet/mcp").status_code == 200
        assert ask("/api/sessions").status_code == 200
        answers = [b.result() for b in busy]
    refused = [a for a in answers if a.status_code == 429]
    assert len(refused) == 80 - 64
    assert {a.status_code for a in answers} == {200, 429}
    assert refused[0].headers["retry-after"] == "1"
    assert "64 requests" in refused[0].json()["error"]["message"]
    assert ask("/s/busy/mcp").status_code == 200


async def test_a_stream_arrives_in_pieces(front: Front) -> None:
    async with (
        httpx2.AsyncClient() as client,
        client.stream("POST", f"{front.url}/s/h/mcp?do=stream&s=0.3", content=b"{}") as stream,
    ):
        came = [(piece, time.monotonic()) async for piece in stream.aiter_raw()]
    assert b"".join(piece for piece, _ in came) == b"".join(b"data: %d\n\n" % n for n in range(PIECES))
    assert len(came) > 1
    assert came[-1][1] - came[0][1] > 0.3, "the first piece came before the last was sent"


def test_requests_refused_by_a_stopped_gateway_go_to_another_one(front: Front) -> None:
    handle, other = front.handle_of("one"), front.handle_of("two")
    front.backends["one"].kill()
    assert [front.who(f"/s/{handle}/mcp") for _ in range(20)] == ["two"] * 20
    assert front.who(f"/s/{other}/mcp") == "two"
    assert [front.who("/api/sessions") for _ in range(6)] == ["two"] * 6


@pytest.mark.long
def test_a_restarted_gateway_soon_gets_its_sessions_again(front: Front) -> None:
    handle = front.handle_of("one")
    front.backends["one"].kill()
    assert front.who(f"/s/{handle}/mcp") == "two"
    front.backends["one"] = start_backend("one", front.backends["one"].port)
    deadline = time.monotonic() + 60
    while front.who(f"/s/{handle}/mcp") != "one":
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_a_call_that_a_killed_gateway_may_have_run_is_not_sent_again(front: Front) -> None:
    handle = front.handle_of("one")
    before = len(front.backends["two"].seen())
    with ThreadPoolExecutor(1) as pool:
        response = pool.submit(front.client.post, f"/s/{handle}/mcp?do=wait&s=20", content=b"once only")
        while "once only" not in front.backends["one"].seen():
            time.sleep(0.02)
        front.backends["one"].kill()
        answer = response.result()
    assert answer.status_code == 502
    assert "journal" in answer.json()["error"]
    assert len(front.backends["two"].seen()) == before


def test_without_a_gateway_the_answer_is_an_error(front: Front) -> None:
    for backend in front.backends.values():
        backend.kill()
    answer = front.client.post("/s/h/mcp", content=b"{}")
    assert answer.status_code == 502
    assert "no gateway answered" in answer.json()["error"]
    assert answer.headers["retry-after"] == "2"


def test_metrics_are_not_forwarded(front: Front) -> None:
    answer = front.client.get("/metrics")
    assert answer.status_code == 404
    assert "each gateway" in answer.json()["error"]


def test_no_log_contains_a_handle_in_any_failure(front: Front) -> None:
    def ask(path: str, **arguments: Any) -> None:
        front.client.post(path, **{"content": b"{}", **arguments})

    handle = front.handle_of("one")
    bearer = {"Authorization": f"Bearer {handle}"}
    ask(f"/s/{handle}/lark/mcp", headers={"Referer": f"{front.url}/s/{handle}/mcp", "User-Agent": handle})
    ask("/mcp", headers=bearer)
    ask(f"/s/{handle}/mcp", content=b"x" * (9 * 1024 * 1024))
    ask(f"/{handle}?q={handle}", headers=bearer)
    with socket.create_connection(("127.0.0.1", int(front.url.rpartition(":")[2]))) as broken:
        broken.sendall(f"GET /s/{handle}/mcp HTTP/9.9\r\n\r\n".encode())
        broken.recv(1000)
    with ThreadPoolExecutor(80) as pool:
        list(pool.map(lambda _: ask(f"/s/{handle}/mcp?do=wait&s=2"), range(80)))
    for backend in front.backends.values():
        backend.kill()
    ask(f"/s/{handle}/mcp")
    ask("/mcp", headers=bearer)
    front.nginx.stop()
    log = front.nginx.log.read_text()
    assert log.count('"plane":"agent"') > 80
    assert '"status":429' in log
    assert '"status":502' in log
    assert "s3cret" not in log
