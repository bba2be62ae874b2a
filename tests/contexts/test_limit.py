"""The maximum size of a context."""

from __future__ import annotations

from pathlib import Path

import pytest

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import Clock
from soundstage.contexts.engine.problems import ContextFull
from soundstage.contexts.engine.storage import DurableStorage, MemoryStorage, Storage
from soundstage.contexts.engine.store import Context, digest
from tests.contexts.conftest import EPOCH_MS
from tests.contexts.steps import step

CLOCK = Clock("tick", EPOCH_MS)
LIMIT = 4_000_000


@pytest.fixture(params=["durable", "memory"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "durable":
        return DurableStorage(tmp_path / "data", max_bytes=LIMIT)
    return MemoryStorage(max_bytes=LIMIT)


def _size(context: Context) -> int:
    return int(context.connection.pragma("page_count")) * int(context.connection.pragma("page_size"))


def _write(context: Context, size: int = 20_000) -> None:
    with context.all_or_nothing():
        step(context, lambda app: app.create("owner", {"name": "x" * size}))


def _fill(context: Context) -> int:
    """Write until the context is full, and return the number of steps."""
    for done in range(1000):
        try:
            _write(context)
        except ContextFull:
            return done
    raise AssertionError("it never became full")


def test_a_context_grows_to_its_limit_and_no_further(storage: Storage, world_file: Path) -> None:
    context = storage.create("one", world_file, seed=1, clock=CLOCK)
    done = _fill(context)
    assert done > 1
    before = digest(context), journal.last_step(context)
    with pytest.raises(ContextFull, match="4,000,000 bytes"):
        _write(context)
    with pytest.raises(ContextFull, match="4,000,000 bytes"):
        _write(context, 10 * LIMIT)
    assert (digest(context), journal.last_step(context)) == before == (before[0], done)
    assert _size(context) <= LIMIT


def test_an_oversized_write_is_distinguished_from_a_full_disk(storage: Storage, world_file: Path) -> None:
    context = storage.create("one", world_file, seed=1, clock=CLOCK)
    with pytest.raises(ContextFull):
        _write(context, 3 * LIMIT)
    _write(context)


def test_a_full_context_can_be_rewound(storage: Storage, world_file: Path) -> None:
    context = storage.create("one", world_file, seed=1, clock=CLOCK)
    storage.snapshot(context, "early")
    done = _fill(context)
    journal.rewind(context, done - 2)
    assert journal.last_step(context) == done - 2
    assert _fill(context) >= 1
    storage.restore(context, "early")
    assert journal.last_step(context) == 0
    assert _fill(context) == done
    journal.rewind(context, 0)
    assert _fill(context) == done


def test_copies_of_a_full_context_are_full_too(storage: Storage, world_file: Path) -> None:
    context = storage.create("one", world_file, seed=1, clock=CLOCK)
    _fill(context)
    storage.snapshot(context, "full")
    fork = storage.fork(context, "two")
    assert digest(fork) == digest(context)
    assert _fill(fork) == 0
    journal.rewind(context, 0)
    storage.restore(context, "full")
    assert digest(fork) == digest(context)
    assert _fill(context) == 0


def test_a_context_that_already_exceeds_the_limit_can_be_used(tmp_path: Path, world_file: Path) -> None:
    context = DurableStorage(tmp_path).create("one", world_file, seed=1, clock=CLOCK)
    for _ in range(30):
        _write(context)
    context.close()
    again = DurableStorage(tmp_path, max_bytes=LIMIT).open("one")
    assert len(again.app("sample").list("owner")) == 30
    assert _fill(again) == 0
    journal.rewind(again, 0)
    assert _fill(again) > 1
