"""Creating many sessions in one request: equal, each with its own address, and all of them or none."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import get_args

import orjson
import pytest

import soundstage
from soundstage.contexts.engine.pages import PageImage
from soundstage.contexts.engine.problems import DiskFull
from soundstage.contexts.engine.storage import DurableStorage, MemoryStorage
from soundstage.contexts.engine.store import digest
from soundstage.gateway.registry.records import Durability, NameTaken, Records
from soundstage.gateway.sessions.problems import TooManySessions
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings
from tests import built_worlds
from tests.conftest import REPOSITORY, Gateway, run_here


@asynccontextmanager
async def running(data: Path, *, warm: int = 0, max_sessions: int | None = None) -> AsyncIterator[Sessions]:
    sessions = Sessions(
        Settings(data=data, built=built_worlds.folder(), warm=warm, max_sessions=max_sessions), joins=True
    )
    await sessions.start()
    try:
        yield sessions
    finally:
        await sessions.stop()


def _files(data: Path) -> list[str]:
    return sorted(p.name for folder in ("sessions", "pending") for p in (data / folder).iterdir())


def test_sessions_of_a_batch_are_equal_and_isolated_over_http(gateway: Gateway) -> None:
    answer = gateway.api("POST", "/sessions/batch", json={"n": 5, "world": "empty", "durability": "memory", "seed": 3})
    assert answer.status_code == 201, answer.text
    made = answer.json()["sessions"]
    assert len({s["id"] for s in made}) == len({s["mcp_url"] for s in made}) == 5
    assert {s["seed"] for s in made} == {3}
    call = {"app": "lark", "tool": "task_v2_task_create", "arguments": {"data": {"summary": "x"}}}
    assert gateway.api("POST", f"/sessions/{made[0]['id']}/calls", json=call).json()["ok"]
    assert [gateway.api("GET", f"/sessions/{s['id']}").json()["step"] for s in made] == [1, 0, 0, 0, 0]
    for session in made:
        assert gateway.api("DELETE", f"/sessions/{session['id']}").status_code == 204


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"n": 2, "name": "both"}, 400, "names are unique"),
        ({"n": 0}, 422, "n: "),
        ({"n": 501}, 422, "less than or equal to 500"),
        ({}, 422, "n: "),
        ({"n": 2, "world": "nowhere"}, 400, "there is no world"),
        ({"n": 2, "apps": ["nothing"]}, 404, "there is no app"),
        ({"n": 2, "colour": "red"}, 422, "colour"),
    ],
)
def test_an_invalid_batch_is_refused_and_creates_nothing(
    gateway: Gateway, body: dict[str, object], status: int, message: str
) -> None:
    before = gateway.api("GET", "/sessions").json()["total"]
    answer = gateway.api("POST", "/sessions/batch", json=body)
    assert (answer.status_code, message in answer.json()["error"]) == (status, True), answer.text
    assert gateway.api("GET", "/sessions").json()["total"] == before


def test_client_and_command_create_several_sessions(gateway: Gateway) -> None:
    with soundstage.connect(gateway.url) as stage:
        made = stage.sessions(3, world="empty", durability="memory")
        assert len({s.mcp_url for s in made}) == 3
        assert made[2].call("lark", "task_v2_task_create", {"data": {"summary": "x"}})["ok"]
        with pytest.raises(soundstage.GatewayError, match="500"):
            stage.sessions(501, world="empty")
        for session in made:
            session.delete()
    result = run_here("sessions", "create", "--count", "2", "--world", "empty", "--url", gateway.url, "--json")
    assert result.exit_code == 0, result.output
    ids = [s["id"] for s in orjson.loads(result.stdout)]
    assert len(ids) == 2
    for one in ids:
        assert gateway.api("DELETE", f"/sessions/{one}").status_code == 204


@pytest.mark.parametrize("durability", ["durable", "memory"])
async def test_a_full_disk_leaves_no_session_of_the_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durability: Durability
) -> None:
    storage = DurableStorage if durability == "durable" else MemoryStorage
    make, made = storage.store_image, 0

    def third_fails(self: DurableStorage | MemoryStorage, session_id: str, image: PageImage) -> None:
        nonlocal made
        made += 1
        if made == 3:
            raise DiskFull("the disk is full")
        make(self, session_id, image)  # type: ignore[arg-type]

    async with running(tmp_path) as sessions:
        monkeypatch.setattr(storage, "store_image", third_fails)
        with pytest.raises(DiskFull):
            await sessions.create_many(NewSession(world="empty", durability=durability), 5)
        assert (await sessions.page(offset=0, limit=10), sessions.open_count, _files(tmp_path)) == (([], 0), 0, [])


async def test_a_failing_registry_leaves_no_session_of_the_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def taken(self: Records, *args: object, **more: object) -> None:
        raise NameTaken(None)

    async with running(tmp_path) as sessions:
        monkeypatch.setattr(Records, "add", taken)
        with pytest.raises(NameTaken):
            await sessions.create_many(NewSession(world="empty"), 3)
        assert (sessions.open_count, _files(tmp_path)) == (0, [])


async def test_a_batch_above_the_session_limit_is_refused_as_a_whole(tmp_path: Path) -> None:
    async with running(tmp_path, max_sessions=4) as sessions:
        await sessions.create_many(NewSession(world="empty", durability="memory"), 2)
        with pytest.raises(TooManySessions):
            await sessions.create_many(NewSession(world="empty", durability="memory"), 3)
        assert await sessions.count() == 2
        assert len(await sessions.create_many(NewSession(world="empty", durability="memory"), 2)) == 2


async def test_pooled_sessions_equal_sessions_created_on_demand(tmp_path: Path) -> None:
    async with running(tmp_path) as sessions:
        plain = await sessions.create(NewSession(world="empty", seed=9))
        as_made = digest(plain.context)
    async with running(tmp_path, warm=2) as sessions:
        for durability in get_args(Durability):
            wanted = NewSession(world="empty", seed=9, durability=durability)
            await sessions.create(wanted)
            await _until(lambda: sessions.warm_count in (2, 4))
            made = await sessions.create_many(wanted, 3)  # two from the pool and one new session
            assert {digest(s.context) for s in made} == {as_made}
            assert {(s.context.read_meta().seed, s.context.read_meta().step) for s in made} == {(9, 0)}
            assert len({s.id for s in made}) == 3
        await _until(lambda: sessions.warm_count == 4)
        assert len(list((tmp_path / "pending").iterdir())) == 2
    assert not list((tmp_path / "pending").iterdir())
    async with running(tmp_path) as sessions:
        page, count = await sessions.page(offset=0, limit=20)
        assert (count, len(list((tmp_path / "sessions").glob("*.db")))) == (5, 5)
        assert {digest((await sessions.by_id(record.id)).context) for record in page} == {as_made}


@pytest.mark.long
def test_a_killed_process_leaves_no_pooled_sessions(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys; from tests.gateway import test_batch as t; asyncio.run(t.ready_then_killed(sys.argv[1]))"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=REPOSITORY, check=False)
    assert len(list((tmp_path / "sessions").glob("*.db"))) == 3

    async def started_again() -> int:
        async with running(tmp_path) as sessions:
            return await sessions.count()

    assert asyncio.run(started_again()) == 1
    assert len(list((tmp_path / "sessions").glob("*.db"))) == 1
    assert not list((tmp_path / "pending").iterdir())


async def ready_then_killed(data: str) -> None:
    async with running(Path(data), warm=2) as sessions:
        await sessions.create(NewSession(world="empty"))
        await _until(lambda: sessions.warm_count == 2)
        os.kill(os.getpid(), signal.SIGKILL)


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 what is waited for tells nobody
            await asyncio.sleep(0.01)
