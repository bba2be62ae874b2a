"""Behaviour while the registry, a disk, an owner or the client itself is unavailable."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, closing
from pathlib import Path

import httpx2
import pytest
import pytest_asyncio
from sqlalchemy import update
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from soundstage.gateway.app import build_app
from soundstage.gateway.cluster.forward import Forwarder, Outcome
from soundstage.gateway.cluster.router import SessionRouter, routing_of
from soundstage.gateway.guard import problem
from soundstage.gateway.registry import records
from soundstage.gateway.registry.database import Database, RegistryUnavailable
from soundstage.gateway.registry.leases import Peer
from soundstage.gateway.registry.records import Records
from soundstage.gateway.registry.tables import GATEWAYS, now_ms
from soundstage.gateway.sessions.problems import OwnedElsewhere, TooManySessions, UnknownSession
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings
from tests import built_worlds
from tests.gateway.agent_requests import request_for
from tests.services import start_postgres

Start = Callable[..., "asyncio.Future[Sessions]"]


@pytest_asyncio.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts gateways without HTTP: start(folder="data", joins=True, **settings)."""
    async with AsyncExitStack() as stack:

        async def one(*, folder: str = "data", joins: bool = True, **settings: object) -> Sessions:
            (tmp_path / folder).mkdir(exist_ok=True)
            made = Sessions(Settings(data=tmp_path / folder, built=built_worlds.folder(), **settings), joins=joins)  # type: ignore[arg-type]
            await made.start()
            stack.push_async_callback(made.stop)
            return made

        yield one  # type: ignore[misc]


@pytest.mark.long
async def test_expired_sessions_on_a_missing_disk_block_nothing(start: Start, postgres: str) -> None:
    away = await start(folder="away", registry=postgres)
    orphan = await away.create(NewSession(world="empty", ttl_s=0.01))
    await away.stop()
    await asyncio.sleep(0.02)
    here = await start(registry=postgres)
    expired = await here.create(NewSession(world="empty", ttl_s=0.01))
    full = await start(folder="full", registry=postgres, max_sessions=1)
    await asyncio.sleep(0.02)
    assert await here.remove_expired(keep_s=0) == 1
    left = {r.id for r in (await here.page(offset=0, limit=1000))[0]}
    assert orphan.id in left
    assert expired.id not in left
    with pytest.raises(TooManySessions):
        await full.create(NewSession(world="empty"))


async def test_a_gateway_whose_lease_lapsed_keeps_its_sessions_in_memory(start: Start) -> None:
    silent, other = await start(advertise="http://127.0.0.1:1"), await start(advertise="http://127.0.0.1:2")
    made = await silent.create(NewSession(world="empty", durability="memory"))
    assert silent.member is not None
    lapsed = update(GATEWAYS).where(GATEWAYS.c.id == silent.member.own.id).values(expires_ms=now_ms() - 60_000)
    await silent.database.write(lambda connection: connection.execute(lapsed))
    assert await other.remove_expired(keep_s=0) == 0
    assert await silent.member.leases.renew()
    with pytest.raises(OwnedElsewhere):
        await other.by_handle(made.record.handle)


async def test_a_jump_of_the_clock_removes_no_session_in_the_memory_of_a_running_gateway(start: Start) -> None:
    alive, other = await start(advertise="http://127.0.0.1:1"), await start(advertise="http://127.0.0.1:2")
    sessions = [await one.create(NewSession(world="empty", durability="memory")) for one in (alive, other)]
    await alive.database.write(lambda connection: connection.execute(update(GATEWAYS).values(expires_ms=1)))
    assert await alive.remove_expired(keep_s=0) == 0
    assert await other.remove_expired(keep_s=0) == 0
    assert {s.id for s in sessions} <= {r.id for r in (await alive.page(offset=0, limit=1000))[0]}


async def test_sessions_in_memory_are_removed_after_ten_minutes_of_observed_silence(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, other = await start(advertise="http://127.0.0.1:1"), await start(advertise="http://127.0.0.1:2")
    made = await ended.create(NewSession(world="empty", durability="memory"))
    assert ended.member is not None
    assert ended.member._renewing is not None
    ended.member._renewing.cancel()
    silent = update(GATEWAYS).where(GATEWAYS.c.id == ended.member.own.id).values(expires_ms=1)
    await other.database.write(lambda connection: connection.execute(silent))
    assert await other.remove_expired(keep_s=0) == 0
    monkeypatch.setattr(records, "GIVEN_UP_S", 0.0)
    assert await other.remove_expired(keep_s=0) == 1
    assert made.id not in {r.id for r in (await other.page(offset=0, limit=1000))[0]}


async def test_a_clock_step_back_does_not_extend_the_lease_of_an_ended_gateway(start: Start) -> None:
    ended, other = await start(advertise="http://127.0.0.1:1"), await start(advertise="http://127.0.0.1:2")
    made = await ended.create(NewSession(world="empty"))
    assert ended.member is not None
    three_hours_ahead = now_ms() + 3 * 3_600_000
    ahead = update(GATEWAYS).where(GATEWAYS.c.id == ended.member.own.id).values(expires_ms=three_hours_ahead)
    await ended.database.write(lambda connection: connection.execute(ahead))
    assert (await other.by_handle(made.record.handle)).id == made.id


async def test_a_gateway_that_renews_after_a_clock_step_back_keeps_its_sessions(start: Start) -> None:
    alive, other = await start(advertise="http://127.0.0.1:1"), await start(advertise="http://127.0.0.1:2")
    made = await alive.create(NewSession(world="empty"))
    assert alive.member is not None
    three_hours_ahead = now_ms() + 3 * 3_600_000
    ahead = update(GATEWAYS).where(GATEWAYS.c.id == alive.member.own.id).values(expires_ms=three_hours_ahead)
    await alive.database.write(lambda connection: connection.execute(ahead))
    assert await alive.member.leases.renew()
    with pytest.raises(OwnedElsewhere):
        await other.by_handle(made.record.handle)
    assert (await alive.by_handle(made.record.handle)).id == made.id


async def test_a_new_gateway_waits_for_rows_that_others_are_writing(start: Start, tmp_path: Path) -> None:
    first, new = await start(advertise="http://127.0.0.1:1"), await start(advertise="http://127.0.0.1:2")
    with closing(sqlite3.connect(tmp_path / "data" / "registry.db", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        made = await first.create(
            NewSession(world="empty", durability="memory")
        )  # this gateway considers itself the only one
        looking = asyncio.ensure_future(asyncio.gather(new.by_handle(made.record.handle), return_exceptions=True))
        await asyncio.sleep(0.1)
        assert not looking.done()
        writer.execute("COMMIT")
    (result,) = await looking
    assert isinstance(result, OwnedElsewhere)
    with pytest.raises(UnknownSession):
        await new.by_handle("nobody")


@pytest.mark.long
async def test_a_session_created_by_a_visiting_gateway_is_on_its_disk(start: Start, postgres: str) -> None:
    guest = await start(folder="guest", joins=False, registry=postgres)
    made = await guest.create(NewSession(world="empty"))
    beside = await start(folder="guest", registry=postgres, advertise="http://127.0.0.1:1")
    elsewhere = await start(folder="elsewhere", registry=postgres, advertise="http://127.0.0.1:2")
    with pytest.raises(OwnedElsewhere):
        await elsewhere.reset_by_id(made.id)
    assert (await beside.by_id(made.id)).id == made.id


async def test_a_session_deleted_during_a_fork_or_restore_is_reported_as_deleted(start: Start) -> None:
    gateway = await start()
    for _ in range(5):
        session = await gateway.create(NewSession(world="empty"))
        snapshot = await gateway.snapshot(session)
        results = await asyncio.gather(
            gateway.delete(session.id),
            *(gateway.fork(session) for _ in range(4)),
            *(gateway.restore_snapshot(session, snapshot.id) for _ in range(4)),
            return_exceptions=True,
        )
        assert results[0] == session.id
        refused = [t for t in results if isinstance(t, BaseException)]
        assert all(isinstance(r, UnknownSession) for r in refused), refused


async def test_a_temporary_failure_has_a_retry_after_header(tmp_path: Path) -> None:
    app = build_app(Settings(data=tmp_path, built=built_worlds.folder()))
    transport = httpx2.ASGITransport(app=app, client=("127.0.0.1", 0))
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8700") as client,
    ):
        await app.state.drain()
        _, body, headers = request_for("none", "x")
        agent = await client.post("/mcp", json=body, headers=headers)  # would create the default session
        api = await client.post("/api/sessions", json={"world": "empty"})
    for answer in (agent, api):
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
        assert "this gateway is ending" in answer.text


async def test_a_report_does_not_wait_for_an_owner_that_does_not_answer(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "soundstage.gateway.cluster.forward._PATIENCE_TO_FETCH", {"timeout": {"connect": 0.5, "read": 0.1}}
    )
    gateway = await start()
    session = await gateway.create(NewSession(world="empty"))
    silent = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    elsewhere = OwnedElsewhere(session.record, Peer("gw_0", f"http://127.0.0.1:{port}", "key", "vol_0"))
    forwarder = Forwarder(gateway.volume)
    async with asyncio.timeout(5):
        with pytest.raises(OwnedElsewhere):
            await forwarder.fetch(elsewhere, "/api/sessions/x/faults/ledger", [(b"host", b"x")])
    await forwarder.close()
    silent.close()


class _Slow:
    """A forwarder whose owner answers slowly."""

    async def forward(self, to: Peer, scope: Scope, body: bytes, send: Send) -> Outcome:
        await asyncio.sleep(0.5)
        await Response("done")(scope, _nothing, send)
        return Outcome.ANSWERED


async def _nothing() -> Message:
    return await asyncio.Future()


@pytest.mark.parametrize(("seen", "status"), [([True, False, True, False], 200), ([True, False, False], 502)])
async def test_an_owner_that_is_silent_for_a_short_time_is_waited_for(
    start: Start, monkeypatch: pytest.MonkeyPatch, seen: list[bool], status: int
) -> None:
    monkeypatch.setattr("soundstage.gateway.cluster.router._CHECK_S", 0.02)
    gateway = await start()
    session = await gateway.create(NewSession(world="empty"))
    looks = iter(seen)

    async def is_alive(owner: Peer) -> bool:
        return next(looks, True)

    async def elsewhere(scope: Scope, receive: Receive, send: Send) -> None:
        routing_of(scope).elsewhere = OwnedElsewhere(session.record, Peer("gw_0", "http://127.0.0.1:1", "key", "vol_0"))

    monkeypatch.setattr(gateway, "is_alive", is_alive)
    placed = SessionRouter(elsewhere, gateway, _Slow(), plane="control", refuse=problem)  # type: ignore[arg-type]
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=placed), base_url="http://x") as client:
        assert (await client.get("/")).status_code == status


@pytest.mark.long
async def test_a_stopped_postgresql_is_reported_as_an_unavailable_registry(tmp_path: Path) -> None:
    service = start_postgres(tmp_path / "postgres")
    database = Database(tmp_path, service.url)
    try:
        await database.connect()
        await Records(database).count()
        processes = _family(service.process.pid)
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            async with asyncio.timeout(20):
                with pytest.raises(RegistryUnavailable):
                    await Records(database).count()
        finally:
            for process in processes:
                os.kill(process, signal.SIGCONT)
        assert await Records(database).count() == 0
    finally:
        await database.close()
        service.stop()


def _family(process: int) -> list[int]:
    """Return the ids of a process and its children."""
    result = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=True)
    return [process, *map(int, result.stdout.split())]
