"""Limits: the number of sessions, free disk space, and the number of open contexts."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from soundstage.gateway.log import log
from soundstage.gateway.registry.records import Durability, Records
from soundstage.gateway.sessions.problems import LowOnDisk, NoCapacity, TooManySessions
from soundstage.gateway.settings import Settings

FILES_PER_CONTEXT = 3
"""The database, its WAL and the WAL index."""
_RESERVED_SHARE = 4  # one part in four of the process's file limit is reserved for connections


class Capacity:
    """Limits the number of sessions, and preserves free disk space when new ones are created.

    The number is exact within a process. Gateways that share a registry and create sessions at the same time may exceed it by
    one each. `clear_expired` deletes expired sessions before a request is rejected.
    """

    def __init__(self, settings: Settings, records: Records, clear_expired: Callable[[], Awaitable[object]]) -> None:
        self._settings = settings
        self._records = records
        self._clear_expired = clear_expired
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def reserve(self, durability: Durability, count: int) -> AsyncIterator[None]:
        """Reserve room for `count` more sessions, which are recorded within the block.

        Raises:
            TooManySessions, LowOnDisk: a limit has been reached.
        """
        if self._settings.max_sessions is None:
            await self._ensure(durability, count)
            yield
            return
        async with self._lock:
            await self._ensure(durability, count)
            yield

    def check_disk(self, durability: Durability) -> None:
        """Check that the disk has room for one more copy of a context.

        Raises:
            LowOnDisk: it does not.
        """
        if durability == "memory":
            return
        free, wanted = shutil.disk_usage(self._settings.data).free, self._settings.min_free
        if free < wanted:
            raise LowOnDisk(free, wanted)

    async def _ensure(self, durability: Durability, count: int) -> None:
        try:
            await self._check(durability, count)
        except NoCapacity:
            await self._clear_expired()
            await self._check(durability, count)

    async def _check(self, durability: Durability, count: int) -> None:
        self.check_disk(durability)
        most = self._settings.max_sessions
        if most is not None and await self._records.count() + count > most:
            raise TooManySessions(most)


def affordable_contexts(max_open: int) -> int:
    """Return how many durable contexts may be open at once within the process's limit of open files."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return max_open
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if files == resource.RLIM_INFINITY:
        return max_open
    most = max(1, (files - files // _RESERVED_SHARE) // FILES_PER_CONTEXT)
    if most < max_open:
        log.warning("fewer contexts can be open than --max-open requests", max_open=most, wanted=max_open, files=files)
    return min(most, max_open)
