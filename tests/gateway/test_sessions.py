from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from soundstage.contexts.engine.problems import ContextDamaged
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.problems import ExpiredSession, UnknownSession
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import load_app
from tests import built_worlds

LARK = load_app("lark")


def _work_often(session: Session, summary: str) -> None:
    for _ in range(10):
        _work(session, summary)


@pytest_asyncio.fixture
async def sessions(tmp_path: Path) -> AsyncIterator[Sessions]:
    started = Sessions(Settings(data=tmp_path, built=built_worlds.folder(), max_open=3))
    await started.start()
    yield started
    await started.stop()


def _work(session: Session, summary: str = "x") -> bool:
    return dispatch(session, LARK, "task_v2_task_create", {"data": {"summary": summary}}).answer.ok


async def test_more_sessions_than_may_be_open_all_continue(sessions: Sessions) -> None:
    made = [await sessions.create(NewSession(world="empty")) for _ in range(7)]
    for _ in range(3):
        for session in made:
            assert _work(await sessions.by_handle(session.record.handle))
            assert sessions.open_count <= 3
    steps = [(await sessions.by_id(s.id)).context.read_meta().step for s in made]
    assert steps == [3] * 7


async def test_expired_sessions_are_reported_and_later_removed(sessions: Sessions, tmp_path: Path) -> None:
    made = await sessions.create(NewSession(world="empty", ttl_s=0.05))
    unlimited = await sessions.create(NewSession(world="empty"))
    await asyncio.sleep(0.1)
    for _ in range(2):
        with pytest.raises(ExpiredSession, match="expired at"):
            await sessions.by_handle(made.record.handle)
    assert await sessions.remove_expired(keep_s=60) == 0
    assert await sessions.remove_expired(keep_s=0) == 1
    with pytest.raises(UnknownSession):
        await sessions.by_handle(made.record.handle)
    assert not list((tmp_path / "sessions").glob(f"{made.id}*"))
    assert _work(await sessions.by_handle(unlimited.record.handle))


async def test_damage_to_an_open_session_is_reported(sessions: Sessions, tmp_path: Path) -> None:
    session = await sessions.create(NewSession(world="studio"))
    session.context.connection.execute("PRAGMA cache_size=0")
    session.context.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file = tmp_path / "sessions" / f"{session.id}.db"
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xee" * (len(content) - 4096)
    file.write_bytes(content)
    session.context.connection.cache_flush()
    session.context.connection.execute("PRAGMA shrink_memory")
    with pytest.raises(ContextDamaged, match="damaged"):
        _work_often(session, "x")


async def test_a_fork_of_a_fork_has_the_seed_of_the_first_and_a_separate_name(sessions: Sessions) -> None:
    first = await sessions.create(NewSession(name="first", world="empty", seed=9))
    _work(first)
    second = await sessions.fork(first, name="second")
    third = await sessions.fork(second, step=0)
    assert (second.record.seed, third.record.seed) == (9, 9)
    assert (second.record.name, third.record.name) == ("second", None)
    for session in (third, first):
        _work(session, "same")
    assert third.context.read_meta().step == 1


async def test_logs_contain_the_calls_id_and_no_handle(sessions: Sessions, tmp_path: Path) -> None:
    from soundstage.gateway.calls.call_log import flush_call_log
    from soundstage.gateway.calls.service import CallService
    from soundstage.gateway.calls.toolset import app_toolset
    from soundstage.gateway.search.finder import ToolFinder

    session = await sessions.create(NewSession(world="empty"))
    flush_call_log()  # of earlier tests
    with capture_logs() as logs:
        calls = CallService(ToolFinder(tmp_path))
        await calls.make_call(session, app_toolset("lark"), "task_v2_task_create", {"data": {"summary": "x"}})
        flush_call_log()  # which a gateway does shortly afterwards
    (entry,) = logs
    assert entry["call"] == f"{session.id}:1"
    assert entry["tool"] == "task_v2_task_create"
    assert session.record.handle not in json.dumps(logs, default=str)


async def test_concurrent_lookups_of_a_name_create_one_session(sessions: Sessions) -> None:
    wanted = NewSession(name="shared", world="empty")
    sessions_by_name = await asyncio.gather(*(sessions.by_name("shared", wanted) for _ in range(6)))
    assert {id(session) for session in sessions_by_name} == {id(sessions_by_name[0])}
    assert await sessions.count() == 1
