from __future__ import annotations

from pathlib import Path

import pytest

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import Clock
from soundstage.contexts.engine.problems import ContextEnded, ContextError
from soundstage.contexts.engine.storage import DurableStorage, MemoryStorage, Storage
from soundstage.contexts.engine.store import digest
from tests.contexts.conftest import EPOCH_MS
from tests.contexts.steps import step

CLOCK = Clock("tick", EPOCH_MS)


@pytest.fixture(params=["durable", "memory"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    return DurableStorage(tmp_path / "data") if request.param == "durable" else MemoryStorage()


def test_contexts_of_one_world_are_independent(storage: Storage, world_file: Path) -> None:
    one, two = (storage.create(n, world_file, seed=1, clock=CLOCK) for n in ("one", "two"))
    step(one, lambda app: app.create("owner", {"owner_id": "a"}))
    assert two.app("sample").count("owner") == 0
    assert two.read_meta().step == 0


def test_a_fork_starts_at_its_step_and_diverges(storage: Storage, world_file: Path) -> None:
    source = storage.create("source", world_file, seed=1, clock=CLOCK)
    for name in "abcd":
        step(source, lambda app, n=name: app.create("owner", {"owner_id": n}))
    now, then = storage.fork(source, "now"), storage.fork(source, "then", step=2)
    assert digest(now) == digest(source)
    assert [o["owner_id"] for o in then.app("sample").list("owner")] == ["a", "b"]
    assert journal.last_step(then) == 2
    step(then, lambda app: app.create("owner", {"owner_id": "elsewhere"}))
    assert source.app("sample").get("owner", "elsewhere") is None
    with pytest.raises(ContextError, match="no step 9"):
        storage.fork(source, "never", step=9)


def test_a_snapshot_survives_changes_and_restores_in_place(storage: Storage, world_file: Path) -> None:
    context = storage.create("one", world_file, seed=1, clock=CLOCK)
    step(context, lambda app: app.create("owner", {"owner_id": "a"}))
    digest_before = digest(context)
    storage.snapshot(context, "snap")
    step(context, lambda app: app.delete("owner", "a"))
    storage.restore(context, "snap")
    assert digest(context) == digest_before
    assert journal.last_step(context) == 1
    step(context, lambda app: app.create("owner", {"owner_id": "b"}))
    with pytest.raises(ContextError, match=r"gone|ended"):
        storage.restore(context, "none")


def test_a_durable_context_can_be_reopened(world_file: Path, tmp_path: Path) -> None:
    storage = DurableStorage(tmp_path / "data")
    context = storage.create("one", world_file, seed=9, clock=CLOCK)
    step(context, lambda app: app.create("owner", {"owner_id": "a"}))
    digest_before = digest(context)
    storage.close("one", context)
    again = storage.open("one")
    assert digest(again) == digest_before
    assert again.read_meta().seed == 9
    storage.close("one", again)
    storage.delete("one")
    with pytest.raises(ContextError, match="gone"):
        storage.open("one")


def test_using_a_deleted_context_raises_an_error(world_file: Path, tmp_path: Path) -> None:
    storage = DurableStorage(tmp_path / "data")
    here = storage.create("one", world_file, seed=1, clock=CLOCK)
    elsewhere = storage.open("one")
    elsewhere.mark_deleted()
    storage.close("one", elsewhere)
    storage.delete("one")
    with pytest.raises(ContextEnded, match="deleted"):
        here.begin()
    here.close()


def test_restoring_reaches_other_holders_of_the_context(world_file: Path, tmp_path: Path) -> None:
    storage = DurableStorage(tmp_path / "data")
    here = storage.create("one", world_file, seed=1, clock=CLOCK)
    elsewhere = storage.open("one")
    storage.snapshot(here, "snap")
    step(elsewhere, lambda app: app.create("owner", {"owner_id": "a"}))
    storage.restore(here, "snap")
    assert elsewhere.app("sample").count("owner") == 0
    step(elsewhere, lambda app: app.create("owner", {"owner_id": "b"}))
    assert here.app("sample").count("owner") == 1
