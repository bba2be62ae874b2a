"""Read sessions: short work runs inline, longer work in a reader process, on the session's state at one time.

Work is a module-level function whose first argument is a context; it only reads. The session continues while a reader works:
the reader opens a durable session's file itself, and the pages of an in-memory one are written to a file for it. Either way the
reader sees complete steps, and the same state even if the session is changed, moved or deleted meanwhile.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import apsw
from typing_extensions import TypeVarTuple, Unpack

from soundstage.contexts.engine import pages
from soundstage.contexts.engine.integrity import find_flaw
from soundstage.contexts.engine.problems import ContextDamaged, ContextError, storing
from soundstage.contexts.engine.storage import open_file_read_only
from soundstage.contexts.engine.store import Context
from soundstage.gateway.reading.readers import Readers, ReaderTurn
from soundstage.gateway.sessions.damage import as_context_error
from soundstage.gateway.sessions.offload import in_thread, is_short_work
from soundstage.gateway.sessions.session import Session

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

ALL = 2**62
"""An unlimited number of steps: such work always runs in a reader."""


_READ_WITHIN_S = 3600.0
"""A copy is opened as soon as it is written, and the name of an open one is no longer needed."""


class Reader:
    """Reads sessions. Copies of in-memory sessions are in `folder` while they are read."""

    def __init__(self, readers: Readers, folder: Path) -> None:
        self.readers = readers
        self._folder = folder

    def clear_away(self) -> None:
        """Remove the copies that a killed gateway has left; other gateways may have newer ones there."""
        for copy in self._folder.glob("*.db"):
            with suppress(OSError):
                if copy.stat().st_mtime < time.time() - _READ_WITHIN_S:
                    copy.unlink()

    async def read(
        self,
        session: Session,
        work: Callable[[Context, Unpack[Ts]], T],
        *arguments: *Ts,
        steps: int = 0,
        objects: bool = False,
    ) -> T:
        """Run `work` on a session.

        `steps` is the number of journal steps it reads; `objects` means that it reads the apps' objects.

        Raises:
            TooManyReadings, ReadingBroken: see `Readers`.
            DiskFull: there is no space for a copy.
            ContextError: the session cannot be read. Exceptions of `work` are passed on.
        """
        if is_short_work(session.context, steps=steps, objects=objects):
            return work(session.context, *arguments)
        async with self._turn(session) as (turn, path):
            return await turn.answer(_result, path, work, arguments)

    async def parts(
        self,
        session: Session,
        work: Callable[[Context, Unpack[Ts]], Iterator[bytes]],
        *arguments: *Ts,
        steps: int = 0,
        objects: bool = False,
    ) -> AsyncGenerator[bytes]:
        """Stream the parts that `work` yields.

        The first part exists when this returns, so initial errors are raised here. A caller that stops iterating ends the work.

        Raises:
            TooManyReadings, ReadingBroken, DiskFull, ContextError: see `read`. The last one also occurs between two parts.
        """
        if is_short_work(session.context, steps=steps, objects=objects):
            return _at_hand(*_taken(work(session.context, *arguments)))
        parts = self._parts(session, work, arguments)
        try:
            first = await anext(parts)
        except StopAsyncIteration:
            return _at_hand([], None)
        return _after(first, parts)

    async def _parts(
        self, session: Session, work: Callable[..., Iterator[bytes]], arguments: tuple[object, ...]
    ) -> AsyncGenerator[bytes]:
        async with (
            self._turn(session) as (turn, path),
            aclosing(turn.parts(_parts_found, path, work, arguments)) as parts,
        ):
            async for part in parts:
                yield part

    @asynccontextmanager
    async def _turn(self, session: Session) -> AsyncIterator[tuple[ReaderTurn, str]]:
        """Reserve a reader. Yields it with the path of the session's database."""
        try:
            async with self.readers.turn() as turn:
                if session.file is not None:
                    if not session.has_original_file:
                        raise ContextError("the session was deleted, or put elsewhere, while this waited for its turn")
                    yield turn, session.file[0]
                    return
                with session.in_use(), self._copy() as path:
                    await copied(session, path)
                    yield turn, path
        except ContextError as problem:
            session.damage.record(session.id, problem)
            raise

    @contextmanager
    def _copy(self) -> Iterator[str]:
        """Create a private file for a copy."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"{secrets.token_hex(8)}.db"
        with storing():
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
        try:
            yield str(path)
        finally:
            with suppress(OSError):
                path.unlink()


async def copied(session: Session, path: str) -> None:
    """Write an in-memory session's current state to an empty file, while its calls continue.

    Raises:
        DiskFull: there is no space for it.
        ContextError: the session has been closed.
    """
    try:
        now = pages.image_of(session.context.connection)
    except apsw.ConnectionClosedError:
        raise ContextError("the session was closed in the meantime; send the request again") from None
    assert now is not None, "a context in a file is read from the file"
    with storing():
        await in_thread(pages.save, now, path)


def _taken(parts: Iterator[bytes]) -> tuple[list[bytes], Exception | None]:
    """Collect all parts, and the error after them. An error before the first part is raised."""
    taken = list[bytes]()
    try:
        for part in parts:
            taken.append(part)
    except Exception as error:
        if not taken:
            raise
        return taken, error
    return taken, None


async def _at_hand(parts: list[bytes], error: Exception | None) -> AsyncGenerator[bytes]:
    for part in parts:
        yield part
    if error is not None:
        raise error


async def _after(first: bytes, rest: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    async with aclosing(rest):
        yield first
        async for part in rest:
            yield part


# -- in a reader --------------------------------------------------------------------------------------------------------


def _result(path: str, work: Callable[..., T], arguments: tuple[object, ...]) -> T:
    with _opened(path) as context:
        return work(context, *arguments)


def _parts_found(path: str, work: Callable[..., Iterator[bytes]], arguments: tuple[object, ...]) -> Iterator[bytes]:
    with _opened(path) as context:
        yield from work(context, *arguments)


@contextmanager
def _opened(path: str) -> Iterator[Context]:
    """Open the context in a file in its current state, regardless of later writes."""
    context = open_file_read_only(path)
    try:
        context.execute("BEGIN")
        context.read_meta()
        yield context
    except Exception as error:
        if type(error).__module__.startswith("soundstage."):
            raise
        problem = as_context_error(error, context)
        if problem is None and (reason := find_flaw(context)) is not None:
            problem = ContextDamaged(reason)
        raise problem or error from None
    finally:
        context.close()
