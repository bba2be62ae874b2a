"""Create and delete sessions so that a killed process leaves nothing half done.

A session exists as soon as the registry has its row, and its context is created before the row. Deletion removes the row first.
The same holds for snapshots. The time in between is announced (`soundstage.gateway.sessions.pending`); the next gateway or
command that starts on the volume removes what a killed process had announced.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager

from soundstage.contexts.engine.problems import storing
from soundstage.contexts.engine.storage import DurableStorage, MemoryStorage, Storage, open_file_read_only
from soundstage.contexts.engine.store import Context
from soundstage.gateway.log import log
from soundstage.gateway.registry.database import RegistryBusy, RegistryUnavailable
from soundstage.gateway.registry.member import Member
from soundstage.gateway.registry.records import MoreSnapshots, NameTaken, Records, Seat, SessionRecord, SnapshotRecord
from soundstage.gateway.sessions.capacity import Capacity
from soundstage.gateway.sessions.offload import in_thread
from soundstage.gateway.sessions.open_sessions import FIRST_FENCE, OpenSessions
from soundstage.gateway.sessions.pending import PendingFiles
from soundstage.gateway.sessions.problems import UnknownSession
from soundstage.gateway.sessions.session import ContextSummary, Session

SESSION_PREFIX, SNAPSHOT_PREFIX = "ses", "snp"
"""Prefixes of session and snapshot ids."""


class SessionStore:
    """Creates and deletes sessions and snapshots: rows in the registry, and contexts in storage."""

    def __init__(
        self,
        records: Records,
        durable: DurableStorage,
        memory: MemoryStorage,
        open_sessions: OpenSessions,
        capacity: Capacity,
        member: Member | None,
        pending: PendingFiles,
    ) -> None:
        self._records = records
        self._durable = durable
        self._memory = memory
        self._open_sessions = open_sessions
        self._capacity = capacity
        self._member = member
        self._pending = pending

    async def add(
        self,
        records: Sequence[SessionRecord],
        begin: Callable[[SessionRecord], Awaitable[Context | ContextSummary]],
        seats: Sequence[Seat] = (),
    ) -> list[Session]:
        """Create sessions, all in memory or all durable. If anything fails, nothing remains of any of them.

        `begin` creates a context and returns it open, or the summary of one that is opened later.

        Raises:
            NameTaken: a name or handle is in use.
            TooManySessions, LowOnDisk, DiskFull: a limit has been reached.
        """
        durability = records[0].durability
        storage: Storage = self._durable if durability == "durable" else self._memory
        lasting = (
            [r.id for r in records] if durability == "durable" else []
        )  # contexts in memory disappear with the process
        contexts: list[Context | ContextSummary] = []

        def take_back() -> None:
            for record in records:
                storage.delete(record.id)
            announced.settle()

        async with AsyncExitStack() as stack:
            for record in records:
                await stack.enter_async_context(self._open_sessions.lock_of(record.id))
            await stack.enter_async_context(self._capacity.reserve(durability, len(records)))
            with storing(), self._pending.announce(lasting) as announced:
                try:
                    for record in records:
                        if contexts:
                            await asyncio.sleep(0)  # serve calls between two sessions
                            self._capacity.check_disk(durability)
                        contexts.append(await begin(record))
                except BaseException:
                    _close(contexts)
                    take_back()
                    raise
                try:
                    await self._record(records, seats)
                except BaseException as error:
                    _close(contexts)
                    refused = isinstance(error, NameTaken | RegistryBusy)
                    if refused or all([await self._is_withdrawn(r.id) for r in records]):
                        take_back()
                    raise
                announced.settle()
            return [self._open_sessions.adopt(*both) for both in zip(records, contexts, strict=True)]

    async def _record(self, records: Sequence[SessionRecord], seats: Sequence[Seat]) -> None:
        """Add sessions to the registry. The caller waits if they outlive this process or if other processes may look for them."""
        if self._member is None:
            await self._records.add(records, owner=None, fence=0, seats=seats)
            return
        owner = self._member.own.id
        short_lived = all(r.durability == "memory" and r.name is None for r in records)
        if short_lived and self._member.alone and self._records.keeps_up:
            self._records.add_soon(records, owner=owner, fence=FIRST_FENCE, seats=seats)
        else:
            await self._records.add(records, owner=owner, fence=FIRST_FENCE, seats=seats)

    async def add_snapshot(self, record: SnapshotRecord, context: Context) -> None:
        """Store a snapshot of a durable session's context. If anything fails, nothing remains of it.

        Raises:
            DiskFull: there is no space for it.
            UnknownSession: the session is deleted meanwhile.
        """
        with storing(), self._pending.announce([record.id]) as announced:
            try:
                await in_thread(_copy, self._durable, context.connection.filename, record.id)
                if not await self._records.add_snapshot(record):
                    raise UnknownSession(f"the session {record.session_id} has just been deleted")
            except BaseException as error:
                if isinstance(error, RegistryUnavailable) and not isinstance(error, RegistryBusy):
                    raise  # whether the row exists is known only when the registry answers again
                self._durable.delete_snapshot(record.id)
                announced.settle()
                raise
            announced.settle()

    async def remove(self, record: SessionRecord) -> None:
        """Delete a durable session and its snapshots."""
        while True:
            snapshots = [snapshot.id for snapshot in await self._records.snapshots(record.id)]
            with self._pending.announce([record.id, *snapshots]) as announced:
                try:
                    await self._records.remove(record.id, snapshots=snapshots)
                except MoreSnapshots:
                    announced.settle()
                    continue
                self._remove(record.id, *snapshots)
                announced.settle()
                return

    async def remove_abandoned(self) -> int:
        """Remove what killed processes left half done on this volume. Returns the number of sessions and snapshots.

        Raises:
            RegistryUnavailable: nothing is removed then.
        """
        removed = 0
        with self._pending.abandoned() as abandoned:
            known = await self._records.known(abandoned.keys()) if abandoned else set()
            for one, announced in abandoned.items():
                if one not in known:
                    log.warning("cleared away what a killed process had left half done", id=one)
                    self._remove(one)
                    removed += 1
                announced.settle()
        return removed

    def replace_context(self, record: SessionRecord, spare: str, make: Callable[[str], Context]) -> None:
        """Replace a durable session's context by a new one, which `make` creates under the id `spare`.

        Raises:
            DiskFull: the old context is unchanged.
        """
        with storing(), self._pending.announce([spare]) as announced:
            try:
                context = make(spare)
                self._open_sessions.evict(record)
                self._durable.replace_file(context, spare, record.id)
            except BaseException:
                self._durable.delete(spare)
                announced.settle()
                raise
            announced.settle()

    async def _is_withdrawn(self, session_id: str) -> bool:
        """Remove a row that may have been written without confirmation. Returns whether it is certainly gone."""
        try:
            await self._records.remove(session_id)
        except RegistryUnavailable as error:
            log.error("a session that could not be made may be listed", session=session_id, reason=str(error))
            return False
        return True

    def _remove(self, *ids: str) -> None:
        for one in ids:
            if one.startswith(SNAPSHOT_PREFIX):
                self._durable.delete_snapshot(one)
            else:
                self._open_sessions.mark_deleted(one)
                self._durable.delete(one)


def _copy(storage: DurableStorage, path: str, snapshot_id: str) -> None:
    source = open_file_read_only(path)
    try:
        storage.snapshot(source, snapshot_id)
    finally:
        source.close()


def _close(contexts: Sequence[Context | ContextSummary]) -> None:
    for context in contexts:
        if isinstance(context, Context):
            context.close()


@contextmanager
def closing_on_failure(context: Context) -> Iterator[None]:
    """Close a new context if the block fails. The caller removes its file."""
    try:
        yield
    except BaseException:
        context.close()
        raise
