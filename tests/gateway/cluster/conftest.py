"""Several gateways that share a registry and a volume."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.conftest import Gateway, start_gateway, stop_gateway
from tests.services import start_postgres

MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


@dataclass(frozen=True, slots=True)
class Two:
    """Two gateways, and where their contexts are."""

    one: Gateway
    other: Gateway
    data: Path


StartTwo = Callable[..., Two]


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a PostgreSQL database."""
    service = start_postgres(tmp_path_factory.mktemp("postgres"))
    yield service.url
    service.stop()


@pytest.fixture
def start_two(tmp_path: Path) -> Iterator[StartTwo]:
    """Starts two gateways: start_two(*options, volumes=1: one for both)."""
    with _starting(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    """Two gateways with their registry in a file on their volume, for tests that leave both running."""
    with _starting(tmp_path_factory.mktemp("two")) as start:
        yield start()


@pytest.fixture(scope="module")
def two_on_postgres(tmp_path_factory: pytest.TempPathFactory, postgres: str) -> Iterator[Two]:
    """The same with their registry on PostgreSQL."""
    with _starting(tmp_path_factory.mktemp("two")) as start:
        yield start("--registry", postgres)


@contextmanager
def _starting(folder: Path) -> Iterator[StartTwo]:
    started: list[Gateway] = []

    def start(*options: str, volumes: int = 1) -> Two:
        folders = [folder / f"data-{n % volumes}" for n in range(2)]
        for number, data in enumerate(folders):
            started.append(start_gateway(data, *options, log=folder / f"log-{number}"))
        return Two(*started[-2:], folders[0])

    try:
        yield start
    finally:
        for gateway in started:
            if gateway.process.poll() is None:
                stop_gateway(gateway)


def agent_call(gateway: Gateway, handle: str, summary: str = "x", **options: Any) -> httpx2.Response:
    """A writing call as an agent makes it on 2026-07-28, at one of the gateways."""
    name = "lark_task_v2_task_create"
    params = {"name": name, "arguments": {"data": {"summary": summary}}, "_meta": MODERN_META}
    return httpx2.post(
        f"{gateway.url}/s/{handle}/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
        headers={
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": name,
            **options.pop("headers", {}),
        },
        timeout=30,
        **options,
    )


def metric(gateway: Gateway, name: str, token: str | None = None, **labels: str) -> float:
    """A figure of a gateway's /metrics, summed over what the labels leave open; 0 where it has never been counted."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    found = 0.0
    for line in httpx2.get(f"{gateway.url}/metrics", headers=headers).text.splitlines():
        named = line.split("{")[0].split(" ")[0] == name
        if named and all(f'{label}="{value}"' in line for label, value in labels.items()):
            found += float(line.rpartition(" ")[2])
    return found
