"""Two processes that believe they have the same context: the one with the lower fence changes nothing any more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import Clock
from soundstage.contexts.engine.problems import ContextTaken
from soundstage.contexts.engine.storage import DurableStorage
from soundstage.contexts.engine.store import Context, read_fence
from soundstage.worlds import built, load_world


@pytest.fixture
def storage(tmp_path: Path) -> DurableStorage:
    return DurableStorage(tmp_path)


@pytest.fixture
def held(storage: DurableStorage, worlds_folder: Path) -> Context:
    """A context as the first gateway has it."""
    context = storage.create("one", built(load_world("empty"), worlds_folder), seed=0, clock=Clock("tick", 0))
    context.claim(1)
    return context


def _step(context: Context) -> None:
    with context.step("call", "x", None):
        context.next_number("step")


def _rewind(context: Context) -> None:
    journal.rewind(context, 0)


@pytest.mark.parametrize("change", [_step, _rewind])
def test_whoever_lost_the_context_is_refused_in_the_transaction(
    storage: DurableStorage, held: Context, change: Callable[[Context], None]
) -> None:
    _step(held)
    taker = storage.open("one")
    taker.claim(2)
    with pytest.raises(ContextTaken):
        change(held)
    assert journal.last_step(taker) == 1
    assert not held.connection.in_transaction
    _step(taker)
    assert journal.last_step(taker) == 2


def test_a_lower_fence_takes_nothing(storage: DurableStorage, held: Context) -> None:
    held.claim(5)
    late = storage.open("one")
    with pytest.raises(ContextTaken):
        late.claim(4)
    _step(held)


def test_a_snapshot_is_restored_by_the_holder_alone(storage: DurableStorage, held: Context) -> None:
    storage.snapshot(held, "before")
    _step(held)
    taker = storage.open("one")
    taker.claim(2)
    with pytest.raises(ContextTaken):
        storage.restore(held, "before")
    assert journal.last_step(taker) == 1
    storage.restore(taker, "before")
    assert journal.last_step(taker) == 0
    assert read_fence(taker.connection) == 2
    _step(taker)
    with pytest.raises(ContextTaken):
        _step(held)


def test_a_fork_is_held_by_nobody(storage: DurableStorage, held: Context) -> None:
    fork = storage.fork(held, "two")
    assert read_fence(fork.connection) == 0
    fork.claim(1)
    _step(fork)
    _step(held)


def test_a_look_reads_and_cannot_write(storage: DurableStorage, held: Context) -> None:
    _step(held)
    seen = storage.open_read_only("one")
    assert journal.last_step(seen) == 1
    with pytest.raises(apsw.ReadOnlyError):
        seen.execute("DELETE FROM _journal")
    seen.close()
    held.close()
    seen = storage.open_read_only("one")
    assert journal.last_step(seen) == 1
    seen.close()
