"""Sessions in memory whose connections are closed: their content is preserved, and they continue at their next use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
import pytest_asyncio

from soundstage.contexts.engine.store import digest
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.registry.records import Durability
from soundstage.gateway.sessions import open_sessions
from soundstage.gateway.sessions.problems import UnknownSession
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import load_app
from tests import built_worlds

LARK = load_app("lark")
IN_MEMORY = NewSession(world="empty", durability="memory")


@pytest_asyncio.fixture
async def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Sessions]:
    monkeypatch.setattr(open_sessions, "MAX_CONNECTED_IN_MEMORY", 3)
    started = Sessions(Settings(data=tmp_path, built=built_worlds.folder()))
    await started.start()
    yield started
    await started.stop()


def _work(session: Session) -> None:
    assert dispatch(session, LARK, "task_v2_task_create", {"data": {"summary": "x"}}).answer.ok


async def test_more_sessions_than_open_connections_all_continue(sessions: Sessions) -> None:
    made = [(await sessions.create(IN_MEMORY)).record for _ in range(7)]
    for _ in range(3):
        for record in made:
            _work(await sessions.by_handle(record.handle))
            assert sessions.open_count <= 3
    reopened = [await sessions.by_id(record.id) for record in made]
    assert [(await sessions.by_id(s.id)).context.read_meta().step for s in reopened] == [3] * 7


async def test_an_idle_session_can_be_forked_restored_read_and_deleted(sessions: Sessions) -> None:
    record = (await sessions.create(IN_MEMORY)).record
    _work(await sessions.by_id(record.id))
    before = digest((await sessions.by_id(record.id)).context)

    async def resting() -> Session:
        await sessions.close_idle(0)
        assert sessions.open_count == 0
        return await sessions.by_id(record.id)

    assert digest((await sessions.fork(await resting())).context) == before
    snapshot = await sessions.snapshot(await resting())
    _work(await resting())
    await sessions.restore_snapshot(await resting(), snapshot.id)
    assert digest((await resting()).context) == before
    await sessions.close_idle(0)
    with sessions.open_read_only(record) as context:
        assert digest(context) == before
    await sessions.reset(await resting())
    assert (await resting()).context.read_meta().step == 0
    await sessions.close_idle(0)
    await sessions.delete(record.id)
    with pytest.raises(UnknownSession):
        await sessions.by_handle(record.handle)


@pytest.mark.parametrize("durability", ["memory", "durable"])
async def test_a_new_session_is_opened_at_its_first_use(sessions: Sessions, durability: Durability) -> None:
    session = await sessions.create(replace(IN_MEMORY, durability=durability, seed=5))
    assert sessions.open_count == 0
    assert (session.summary().step, session.summary().clock) == (0, session.record.clock)
    assert session.summary().versions["lark"] == LARK.version
    _work(await sessions.by_handle(session.record.handle))
    assert sessions.open_count == 1
    assert (session.summary().step, session.context.read_meta().seed) == (1, 5)


async def test_a_reference_to_an_idle_session_does_not_see_another_sessions_rows(sessions: Sessions) -> None:
    """Its connection belongs to another session by then."""
    first, second = [await sessions.create(IN_MEMORY) for _ in range(2)]
    _work(first)
    stale = first.context
    view, ask = stale.app("lark"), stale.ask
    await sessions.close_idle(0)
    _work(second)
    for use in (lambda: view.count("task"), lambda: ask("SELECT 1"), stale.read_meta, lambda: stale.accounts.user):
        with pytest.raises((apsw.ConnectionClosedError, apsw.CursorClosedError)):
            use()
    with pytest.raises(apsw.CursorClosedError), stale.step("call", "x", {}):
        pass
    assert [s.context.app("lark").count("task") for s in (first, second)] == [1, 1]


async def test_a_connection_with_an_open_cursor_is_not_reused(sessions: Sessions) -> None:
    first, second = [await sessions.create(IN_MEMORY) for _ in range(2)]
    _work(first)
    reading = first.context.execute("SELECT step FROM _journal UNION ALL SELECT 7")
    assert next(reading) == (1,)
    await sessions.close_idle(0)
    _work(second)
    assert second.context.read_meta().step == first.context.read_meta().step == 1
    with pytest.raises(apsw.Error):
        next(reading)


async def test_a_session_in_use_keeps_its_connection(sessions: Sessions) -> None:
    session = await sessions.create(IN_MEMORY)
    with session.in_use():
        _work(session)
        for _ in range(5):
            _work(await sessions.create(IN_MEMORY))
        assert await sessions.close_idle(0) == 2
        _work(session)


async def test_a_connection_with_an_authorizer_is_not_reused(sessions: Sessions) -> None:
    bound = await sessions.create(IN_MEMORY)
    bound.context.connection.authorizer = lambda *action: apsw.SQLITE_DENY
    await sessions.delete(bound.id)
    _work(await sessions.create(IN_MEMORY))
