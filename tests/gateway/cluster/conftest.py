"""Several gateways that share a registry and a volume."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Gateway, start_gateway, stop_gateway
from tests.services import start_postgres


@dataclass(frozen=True, slots=True)
class Two:
    """Two gateways, and the folder of their contexts."""

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
    """Starts two gateways: start_two(*options, volumes=1). With volumes=1 they share one volume."""
    with _starting(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    """Two gateways with their registry in a file on their volume, for tests that leave both running."""
    with _starting(tmp_path_factory.mktemp("two")) as start:
        yield start()


@pytest.fixture(scope="module")
def two_on_postgres(tmp_path_factory: pytest.TempPathFactory, postgres: str) -> Iterator[Two]:
    """Two gateways on one volume with their registry on PostgreSQL."""
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
