"""Two processes that both consider themselves the owner of a context: the one with the lower fence can change nothing."""

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
def owned(storage: DurableStorage, worlds_folder: Path) -> Context:
    """A context opened by the first gateway."""
    context = storage.create("one", built(load_world("empty"), worlds_folder), seed=0, clock=Clock("tick", 0))
    context.claim(1)
    return context


def _step(context: Context) -> None:
    with context.step("call", "x", None):
        context.next_number("step")


def _rewind(context: Context) -> None:
    journal.rewind(context, 0)


@pytest.mark.parametrize("change", [_step, _rewind])
def test_a_former_owner_is_refused_within_the_transaction(
    storage: DurableStorage, owned: Context, change: Callable[[Context], None]
) -> None:
    _step(owned)
    taker = storage.open("one")
    taker.claim(2)
    with pytest.raises(ContextTaken):
        change(owned)
    assert journal.last_step(taker) == 1
    assert not owned.connection.in_transaction
    _step(taker)
    assert journal.last_step(taker) == 2


def test_a_lower_fence_cannot_claim_a_context(storage: DurableStorage, owned: Context) -> None:
    owned.claim(5)
    late = storage.open("one")
    with pytest.raises(ContextTaken):
        late.claim(4)
    _step(owned)


def test_only_the_owner_can_restore_a_snapshot(storage: DurableStorage, owned: Context) -> None:
    storage.snapshot(owned, "before")
    _step(owned)
    taker = storage.open("one")
    taker.claim(2)
    with pytest.raises(ContextTaken):
        storage.restore(owned, "before")
    assert journal.last_step(taker) == 1
    storage.restore(taker, "before")
    assert journal.last_step(taker) == 0
    assert read_fence(taker.connection) == 2
    _step(taker)
    with pytest.raises(ContextTaken):
        _step(owned)


def test_a_fork_has_no_owner(storage: DurableStorage, owned: Context) -> None:
    fork = storage.fork(owned, "two")
    assert read_fence(fork.connection) == 0
    fork.claim(1)
    _step(fork)
    _step(owned)


def test_a_read_only_context_cannot_be_written(storage: DurableStorage, owned: Context) -> None:
    _step(owned)
    seen = storage.open_read_only("one")
    assert journal.last_step(seen) == 1
    with pytest.raises(apsw.ReadOnlyError):
        seen.execute("DELETE FROM _journal")
    seen.close()
    owned.close()
    seen = storage.open_read_only("one")
    assert journal.last_step(seen) == 1
    seen.close()
