"""Real servers behind a gateway, each in a separate process."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY, START_S, Gateway, start_gateway, stop_gateway, wait_until
from tests.ports import free_port

EVERYTHING = "tests.gateway.upstream.everything_server"
ODD = "tests.gateway.upstream.odd_server"


def program(module: str, *arguments: str, **more: Any) -> dict[str, Any]:
    """Return the declaration of one of our servers as a child process of the gateway."""
    return {"command": sys.executable, "args": ["-m", module, *arguments], "cwd": str(REPOSITORY), **more}


@contextmanager
def running(module: str, *arguments: str, port: int | None = None) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run one of our servers over HTTP, and yield once it listens."""
    port = port or free_port()
    command = [sys.executable, "-m", module, *arguments, str(port)]
    process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, process)
        yield process, port
    finally:
        process.kill()
        process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        assert process.poll() is None, f"the server ended with {process.returncode}"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the server did not start listening")


@pytest.fixture(scope="session")
def everything_http() -> Iterator[str]:
    """The address of a server with every feature, over streamable HTTP in both revisions."""
    with running(EVERYTHING, "http") as (_, port):
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.fixture(scope="session")
def everything_sse() -> Iterator[str]:
    """The address of a server with every feature, over the older SSE transport."""
    with running(EVERYTHING, "sse") as (_, port):
        yield f"http://127.0.0.1:{port}/sse"


@pytest.fixture(scope="session")
def front(everything_http: str, everything_sse: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A gateway in front of the server with every feature, over each transport: `web`, `sse` and `process`."""
    servers = {
        "web": {"url": everything_http},
        "sse": {"url": everything_sse},
        "process": program(EVERYTHING, "stdio"),
    }
    folder = tmp_path_factory.mktemp("front")
    started = start_before(servers, folder)
    yield started
    stop_gateway(started)


@pytest.fixture
def before(tmp_path: Path) -> Iterator[Callable[..., Gateway]]:
    """Starts gateways with these upstreams: before({"name": {…}}, "--option")."""
    started: list[Gateway] = []

    def start(servers: dict[str, Any], *options: str) -> Gateway:
        started.append(start_before(servers, tmp_path / str(len(started)), *options))
        return started[-1]

    yield start
    for gateway in started:
        stop_gateway(gateway)


def start_before(servers: dict[str, Any], folder: Path, *options: str) -> Gateway:
    folder.mkdir(parents=True, exist_ok=True)
    declared = folder / "mcp.json"
    declared.write_text(json.dumps({"mcpServers": servers}))
    gateway = start_gateway(folder / "data", "--upstream", str(declared), *options, log=folder / "log")
    # The gateway does not wait for a slow upstream; tests on a busy machine do.
    wait_until(lambda: all(u["status"] != "starting" for u in gateway.api("GET", "/upstreams").json()))
    return gateway


def upstream(gateway: Gateway, name: str) -> dict[str, Any]:
    """Return one upstream as the control plane shows it."""
    entry: dict[str, Any] = next(u for u in gateway.api("GET", "/upstreams").json() if u["name"] == name)
    return entry
