"""Another process holds the write lock of the registry's file, like a gateway that is stopped during a transaction."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import Connection, text

from soundstage.gateway.app import build_app
from soundstage.gateway.registry import database as registry
from soundstage.gateway.registry.database import Database
from soundstage.gateway.settings import Settings
from tests import built_worlds
from tests.conftest import START_S
from tests.gateway.agent_requests import request_for

PATIENCE_S = 0.4


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "PATIENCE_S", PATIENCE_S)


@asynccontextmanager
async def _gateway(data: Path) -> AsyncIterator[httpx2.AsyncClient]:
    app = build_app(Settings(data=data, built=built_worlds.folder()))
    transport = httpx2.ASGITransport(app=app, client=("127.0.0.1", 0))
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8700") as client,
    ):
        yield client


@contextmanager
def _locked(data: Path) -> Iterator[None]:
    """Hold the write lock of the registry's file."""
    with closing(sqlite3.connect(data / "registry.db", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE session SET name = name")
        yield
        connection.execute("ROLLBACK")


async def test_a_locked_registry_delays_only_new_sessions_and_within_bounds(tmp_path: Path) -> None:
    async with _gateway(tmp_path) as client:
        made = (await client.post("/api/sessions", json={"world": "empty"})).json()
        with _locked(tmp_path):
            path, body, headers = request_for(made["handle"], "x")
            assert "result" in (await client.post(path, json=body, headers=headers)).json()
            assert [s["id"] for s in (await client.get("/api/sessions")).json()["sessions"]] == [made["id"]]
            assert (await client.get(f"/api/sessions/{made['id']}/state")).status_code == 200

            began = time.monotonic()
            refused = await asyncio.gather(*(client.post("/api/sessions", json={"world": "empty"}) for _ in range(16)))
            assert time.monotonic() - began < len(refused) * PATIENCE_S, (
                "each waits for its own time, not for that of the others"
            )
            for answer in refused:
                assert answer.status_code == 503
                assert "another gateway or command holds its file" in answer.json()["error"]
                assert int(answer.headers["Retry-After"]) > 0
        assert len((await client.get("/api/sessions")).json()["sessions"]) == 1
        assert {f.stem for f in (tmp_path / "sessions").glob("*.db")} == {made["id"]}
        async with asyncio.timeout(START_S):
            while (await client.post("/api/sessions", json={"world": "empty"})).status_code != 201:  # noqa: ASYNC110 until it is let go
                await asyncio.sleep(0.1)


async def test_a_gateway_starts_on_a_locked_registry_and_only_reads_a_complete_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "PATIENCE_S", patience_s := 10.0)
    first, second = Database(tmp_path, None), Database(tmp_path, None)
    await first.connect()
    with _locked(tmp_path):
        began = time.monotonic()
        await second.connect()
        assert time.monotonic() - began < patience_s
    await first.close()
    await second.close()


async def test_no_lock_is_held_while_the_event_loop_does_other_work(tmp_path: Path) -> None:
    database = Database(tmp_path, None)
    await database.connect()

    def work(connection: Connection) -> None:
        for _ in range(3):
            connection.execute(text("UPDATE session SET name = name"))

    writing = asyncio.create_task(database.write(work))
    await asyncio.sleep(0)  # the work has begun, and this event loop will not run it for a while
    with closing(sqlite3.connect(tmp_path / "registry.db", isolation_level=None, timeout=START_S)) as other:
        time.sleep(0.05)  # noqa: ASYNC251 this is what holds the loop up
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
    await writing
    await database.close()
