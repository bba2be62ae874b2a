"""Contexts that contain the sample app next to the real ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from soundstage.contexts import apps
from soundstage.contexts.engine import disk, store
from soundstage.contexts.engine.clock import Clock
from soundstage.contexts.engine.schema import AppTables
from soundstage.contexts.engine.store import Context, create_tables, open_context
from soundstage.worlds import library
from tests.contexts import sample

EPOCH_MS = 1_795_000_000_000


TABLES = {**apps.shipped_tables(), "sample": sample.TABLES, disk.NAME: disk.TABLES}


def _tables_of(app: str) -> AppTables:
    return sample.TABLES if app == "sample" else apps.tables_of(app)


@pytest.fixture(scope="session", autouse=True)
def _library(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Apps that the library backs have its hash in their contexts'."""
    library.serve(tmp_path_factory.mktemp("library"))


@pytest.fixture(autouse=True)
def _sample_app(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "tables_of", _tables_of)


@pytest.fixture
def world_file(tmp_path: Path, _sample_app: None) -> Path:
    """An empty world that knows the sample app."""
    path = tmp_path / "world.db"
    connection = apsw.Connection(str(path))
    create_tables(connection, TABLES, world="sample", seed=0, clock=Clock("tick", EPOCH_MS))
    connection.pragma("journal_mode", "wal")
    connection.close()
    return path


@contextmanager
def fresh_context() -> Iterator[Context]:
    """A context in memory with the sample app's tables."""
    connection = apsw.Connection(":memory:")
    create_tables(connection, TABLES, world="sample", seed=7, clock=Clock("tick", EPOCH_MS))
    made = open_context(connection)
    yield made
    made.close()


@pytest.fixture
def context(_sample_app: None) -> Iterator[Context]:
    """See `fresh_context`."""
    with fresh_context() as made:
        yield made
