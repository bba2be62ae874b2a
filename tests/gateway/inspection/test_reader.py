"""Large sessions are read by separate processes: in one consistent state, in pieces, until the client disconnects, a few at
once.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import apsw
import pytest
import uvloop

from soundstage.contexts.engine.journal import last_step
from soundstage.contexts.engine.problems import ContextError
from soundstage.contexts.engine.state import load
from soundstage.contexts.engine.store import Context, digest
from soundstage.gateway.inspection import exports
from soundstage.gateway.inspection import reader as module
from soundstage.gateway.inspection.reader import ALL, Reader
from soundstage.gateway.reading.readers import Readers, ReadingBroken, TooManyReadings
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.problems import BadRequest
from soundstage.gateway.sessions.session import Session
from tests.conftest import REPOSITORY, START_S


def put(session: Session, *names: str) -> None:
    with session.context.step("state", "state", {}):
        load(session.context, {"lark": {"user": [{"open_id": f"ou_{n}", "name": n * 500} for n in names]}})


# Functions that readers run. They import them from this module.


def whose(context: Context) -> int:
    return os.getpid()


def refuses(context: Context, words: str) -> None:
    raise BadRequest(words)


def dies(context: Context) -> None:
    os._exit(3)


def endless(context: Context) -> Iterator[bytes]:
    while True:
        yield b"." * 50_000


def never(context: Context, begun: str) -> None:
    Path(begun).touch()
    time.sleep(600)


@pytest.fixture
async def reader(tmp_path: Path, worlds_folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Reader]:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(REPOSITORY), os.environ.get("PYTHONPATH", ""))))
    reader = Reader(Readers(at_once=1, waiting=2, library=worlds_folder), tmp_path / "reading")
    yield reader
    await reader.readers.close()


@pytest.fixture
def session(new_session: Callable[..., Session]) -> Session:
    made = new_session()
    put(made, "a", "b")
    return made


async def test_a_reader_returns_one_consistent_state_and_leaves_nothing_behind(
    session: Session, reader: Reader
) -> None:
    assert await reader.read(session, whose) == os.getpid()  # done quickly, so no reader is used
    other = await reader.read(session, whose, steps=ALL)
    assert other != os.getpid()
    before = digest(session.context)
    task = asyncio.ensure_future(reader.read(session, digest, steps=ALL))
    await asyncio.sleep(0)
    put(session, "c")
    assert await task in (before, digest(session.context))
    with pytest.raises(BadRequest, match="no such thing"):
        await reader.read(session, refuses, "no such thing", steps=ALL)
    assert await reader.read(session, whose, steps=ALL) == other
    parts = await reader.parts(session, exports.journal_lines, 0, None, None, steps=ALL)
    session.context.mark_deleted()  # as if it were deleted during a download of its journal
    assert b"".join([part async for part in parts]).count(b"\n") == 2
    assert list((reader._folder).iterdir()) == []
    assert session.users == 0


@pytest.mark.long
async def test_cancelling_a_read_ends_the_work_and_the_next_read_gets_a_reader(
    session: Session, reader: Reader, tmp_path: Path
) -> None:
    parts = await reader.parts(session, endless, steps=ALL)
    assert len(await anext(parts)) == 50_000
    await parts.aclose()
    at_work = await reader.read(session, whose, steps=ALL)
    begun = tmp_path / "begun"
    task = asyncio.ensure_future(reader.read(session, never, str(begun), steps=ALL))
    while not begun.exists():  # noqa: ASYNC110 another process makes it
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await reader.read(session, whose, steps=ALL) != at_work  # the reader at work could not be interrupted
    with pytest.raises(ReadingBroken, match="has ended; try again"):
        await reader.read(session, dies, steps=ALL)
    assert await reader.read(session, whose, steps=ALL)
    assert reader.readers.working == 0


@pytest.mark.parametrize(
    "run", [pytest.param(asyncio.run, id="asyncio", marks=pytest.mark.long), pytest.param(uvloop.run, id="uvloop")]
)
def test_a_dead_reader_passes_its_turn_to_the_next(run: Callable[..., None]) -> None:
    async def read() -> None:
        readers = Readers(at_once=1)
        try:
            async with asyncio.timeout(START_S):
                for _ in range(2):
                    async with readers.turn() as turn:
                        with pytest.raises(ReadingBroken, match="has ended; try again"):
                            await turn.answer(os._exit, 3)
                        await asyncio.sleep(0.3)  # by then the event loop has noticed that the process is gone
                async with readers.turn() as turn:
                    assert await turn.answer(os.getpid) != os.getpid()
        finally:
            await readers.close()

    run(read())


async def test_reads_above_the_queue_limit_are_refused_with_a_message(session: Session, reader: Reader) -> None:
    tasks = [asyncio.ensure_future(reader.read(session, whose, steps=ALL)) for _ in range(5)]
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert len({one for one in results if isinstance(one, int)}) == 1
    refused = [one for one in results if isinstance(one, TooManyReadings)]
    assert [str(one) for one in refused] == [
        "large sessions are being read already: 1 readings are under way and 2 wait; try again in a few seconds"
    ] * len(refused)
    assert len(refused) == 2


async def test_a_durable_session_is_read_from_its_file_during_writes(
    session: Session, reader: Reader, tmp_path: Path
) -> None:
    path = tmp_path / "ses_1.db"
    with apsw.Connection(str(path)) as file, file.backup("main", session.context.connection, "main") as backup:
        backup.step()
    file.pragma("journal_mode", "wal")
    record = SessionRecord("ses_1", "handle", None, "empty", ("lark",), 0, session.record.clock, 0, None)
    durable = Session(record, Context(file, session.context.tables))
    parts = await reader.parts(durable, exports.journal_lines, 0, None, None, steps=ALL)
    put(durable, "c")
    assert b"".join([part async for part in parts]).count(b"\n") == 1
    assert await reader.read(durable, last_step, steps=ALL) == 2
    path.unlink()
    with pytest.raises(ContextError, match="was deleted, or put elsewhere"):
        await reader.read(durable, last_step, steps=ALL)
    file.close()


async def test_a_copy_shows_one_state_although_calls_continue(session: Session, tmp_path: Path) -> None:
    before = digest(session.context)
    path = tmp_path / "copy.db"
    path.touch()
    making = asyncio.ensure_future(module.copied(session, str(path)))
    made = 0
    while not making.done():
        put(session, *"abcdefgh"[: made % 8 + 1])
        made += 1
        await asyncio.sleep(0)
    making.result()
    copy = module.open_file_read_only(str(path))
    assert made > 1
    # The first call came before the copy began.
    assert last_step(copy) in (1, 2)
    assert last_step(copy) == 2 or digest(copy) == before
    copy.close()


def test_copies_left_by_a_killed_gateway_are_removed(tmp_path: Path) -> None:
    for name, age_s in (("old.db", 7200), ("new.db", 60)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time.time() - age_s,) * 2)
    Reader(Readers(), tmp_path).clear_away()
    assert [path.name for path in tmp_path.iterdir()] == ["new.db"]


async def test_reading_a_closed_session_is_reported(session: Session, tmp_path: Path) -> None:
    session.context.close()
    with pytest.raises(ContextError, match="closed in the meantime"):
        await module.copied(session, str(tmp_path / "copy.db"))
