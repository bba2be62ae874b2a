"""Copies of sessions for reading: a session is neither kept waiting by whoever reads for long, nor within their reach."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

import apsw

from soundstage.contexts.engine.problems import ContextError, storing
from soundstage.contexts.engine.store import Context
from soundstage.gateway.sessions.session import Session

T = TypeVar("T")

_PAGES_AT_ONCE = 128  # half a megabyte, some two milliseconds; calls go on in between
_READERS = 2
_AGAIN_S = 0.05


class Copies:
    """Makes copies, and lets at most two threads at a time work on them."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(_READERS)

    async def of(self, session: Session) -> Context:
        """The session as it is now, in a temporary database that goes when it is closed.

        Raises:
            DiskFull: there is no room for it.
            ContextError: the session's own cannot be read.
        """
        with storing(), session.in_use():
            copy = apsw.Connection("")
            try:
                with copy.backup("main", session.context.connection, "main") as backup:
                    copied = 0
                    while not backup.done:
                        # What is rolled back meanwhile begins the copy anew: in the end it is made at once.
                        backup.step(_PAGES_AT_ONCE if copied <= 4 * backup.page_count else -1)
                        copied += _PAGES_AT_ONCE
                        await asyncio.sleep(0)
            except apsw.ConnectionClosedError:
                copy.close()
                raise ContextError("the session was closed while it was copied; try again") from None
            except BaseException:
                copy.close()
                raise
        return Context(copy, session.context.tables)

    async def read(self, session: Session, work: Callable[[Context], T], *, within_s: float) -> T:
        """What `work` finds in a copy of the session. It runs in a thread, and what it asks of SQLite is interrupted in the end.

        Raises:
            apsw.InterruptError: it took longer, and did not take that upon itself.
            DiskFull, ContextError: see `of`; and whatever `work` raises.
        """
        async with self._turns:
            copy = await self.of(session)
            running = asyncio.ensure_future(asyncio.to_thread(work, copy))
            # A thread cannot be cancelled: whoever stopped waiting leaves it to the interruption, and the copy to its end.
            running.add_done_callback(lambda done: _ended(copy, done))
            try:
                await asyncio.wait({running}, timeout=within_s)
                while not running.done():
                    copy.connection.interrupt()
                    await asyncio.wait({running}, timeout=_AGAIN_S)
            finally:
                if not running.done():
                    copy.connection.interrupt()
            return running.result()


def _ended(copy: Context, done: asyncio.Future[T]) -> None:
    copy.close()
    if not done.cancelled():
        done.exception()  # asyncio complains of what nobody has asked for
