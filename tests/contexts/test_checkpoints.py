"""Checkpoints shorten the way back, use little space, and change nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import pytest

from soundstage.contexts.engine import checkpoints, journal
from soundstage.contexts.engine.storage import MemoryStorage
from soundstage.contexts.engine.store import Context, digest
from soundstage.gateway.sessions.session import Session

STEPS = 230


@pytest.fixture(autouse=True)
def every_twenty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "EVERY", 20)
    monkeypatch.setattr(checkpoints, "_SHARE", 2)


@pytest.fixture
def storage() -> Iterator[MemoryStorage]:
    storage = MemoryStorage()
    yield storage
    for name in ("fork", "plain"):
        storage.delete(name)


def _work(context: Context, steps: int, seed: int = 0) -> list[str]:
    """Put in, change and remove users, and read in between. Returns the digest after each step, the start's first."""
    random, users = Random(seed), context.app("lark")
    digests = [digest(context)]
    for number in range(steps):
        there = [str(user["open_id"]) for user in users.list("user")]
        with context.step("call", "some_tool", {"number": number}, app="lark") as step:
            chosen = random.choice([*there[:8], None])
            if chosen is None or random.random() < 0.4:
                users.create("user", {"open_id": f"ou_{seed}_{number % 40}_{number // 40}", "name": f"name {number}"})
            elif random.random() < 0.5:
                users.update("user", chosen, {"name": f"changed by {number}"})
            elif random.random() < 0.7:
                users.delete("user", chosen)
            step.reply = {"content": [{"type": "text", "text": f"the answer {number} " * 8}]}
        digests.append(digest(context))
    return digests


def _checkpoint_steps(context: Context) -> list[int]:
    rows = context.execute("SELECT step FROM _checkpoint ORDER BY step").fetchall()
    return [int(str(step)) for (step,) in rows]


@pytest.mark.parametrize("lost", [(), (60,), (220,), (20, 40), (100, 140)], ids=str)
def test_every_step_can_be_restored_with_all_some_or_no_checkpoints(
    new_session: Callable[..., Session], storage: MemoryStorage, lost: tuple[int, ...]
) -> None:
    context = new_session().context
    digests = _work(context, STEPS)
    assert _checkpoint_steps(context) == list(range(20, STEPS, 20))
    for step in lost:
        context.execute("DELETE FROM _checkpoint WHERE step = ?", (step,))
    for back in (229, 221, 220, 219, 141, 101, 100, 99, 60, 41, 20, 19, 1, 0):
        fork = storage.fork(context, "fork", step=back)
        assert digest(fork) == digests[back], f"as after step {back}"
        assert journal.last_step(fork) == back
        assert all(step <= back for step in _checkpoint_steps(fork))
        storage.delete("fork")


def test_steps_after_a_return_are_the_same_with_and_without_checkpoints(
    new_session: Callable[..., Session], storage: MemoryStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = new_session().context
    _work(context, 90)
    plain = storage.fork(context, "plain")
    plain.execute("DROP TABLE _checkpoint")
    monkeypatch.setattr(checkpoints, "_MOST_BYTES", -1)
    journal.rewind(plain, 33)
    expected = _work(plain, 60, seed=1)
    monkeypatch.undo()
    monkeypatch.setattr(checkpoints, "EVERY", 20)
    monkeypatch.setattr(checkpoints, "_SHARE", 2)
    journal.rewind(context, 33)
    assert _work(context, 60, seed=1) == expected
    assert _checkpoint_steps(context) == [20, 40, 60, 80]
    assert _journal(context) == _journal(plain)
    journal.rewind(context, 45)
    assert digest(context) == expected[12]


def test_a_checkpoint_that_saves_too_little_is_not_stored(
    new_session: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "_SHARE", 20)
    context, random = new_session().context, Random(0)
    users = context.app("lark")
    for number in range(20):
        with context.step("call", "some_tool", {}, app="lark"):
            users.create("user", {"open_id": f"ou_{number}", "name": random.randbytes(2000).hex()})
    before = digest(context)
    for number in range(20):
        with context.step("call", "some_tool", {}, app="lark"):
            users.delete("user", f"ou_{number}")
    assert _checkpoint_steps(context) == [20]  # undoing the other steps needs every name, which cannot be shortened
    journal.rewind(context, 20)
    assert digest(context) == before


def _journal(context: Context) -> list[object]:
    return [(row.step, row.at_ms, row.tool, row.arguments, row.receipt) for row in journal.read(context)]
