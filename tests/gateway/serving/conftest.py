"""A gateway with several workers for tests that leave it unchanged, and data folders for the other tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Gateway, start_gateway, stop_gateway
from tests.gateway.serving.processes import WORKERS


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    folder = tmp_path_factory.mktemp("workers")
    started = start_gateway(folder / "data", "--workers", str(WORKERS), log=folder / "log")
    yield started
    stop_gateway(started)


@pytest.fixture
def data(tmp_path: Path, worlds_folder: Path) -> Path:
    """A data folder for one test, with the worlds that other tests have built."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "worlds").symlink_to(worlds_folder)
    return folder
