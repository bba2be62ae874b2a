"""Create and delete sessions so that a killed process leaves nothing half done.

A session exists as soon as the registry has its row, and its context is created before the row. Deletion removes the row first.
The same holds for snapshots. The time in between is announced (`soundstage.gateway.sessions.pending`); the next gateway or
command that starts on the volume removes what a killed process had announced.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager

from soundstage.contexts.engine.keepers import DurableKeeper, Keeper, MemoryKeeper, look_at
from soundstage.contexts.engine.problems import storing
from soundstage.contexts.engine.store import Context
from soundstage.gateway.log import log
from soundstage.gateway.registry.database import RegistryBusy, RegistryUnavailable
from soundstage.gateway.registry.member import Member
from soundstage.gateway.registry.records import MoreSnapshots, NameTaken, Records, Seat, SessionRecord, SnapshotRecord
from soundstage.gateway.sessions.aside import in_thread
from soundstage.gateway.sessions.held import FIRST_FENCE, Held
from soundstage.gateway.sessions.pending import Pending
from soundstage.gateway.sessions.problems import UnknownSession
from soundstage.gateway.sessions.room import Room
from soundstage.gateway.sessions.session import Session, Told

SESSION, SNAPSHOT = "ses", "snp"
"""Prefixes of session and snapshot ids."""


class Making:
    """Creates and deletes sessions and snapshots: rows in the registry, and contexts in storage."""

    def __init__(
        self,
        records: Records,
        durable: DurableKeeper,
        memory: MemoryKeeper,
        held: Held,
        room: Room,
        member: Member | None,
        pending: Pending,
    ) -> None:
        self._records = records
        self._durable = durable
        self._memory = memory
        self._held = held
        self._room = room
        self._member = member
        self._pending = pending

    async def sessions(
        self,
        records: Sequence[SessionRecord],
        begin: Callable[[SessionRecord], Awaitable[Context | Told]],
        seats: Sequence[Seat] = (),
    ) -> list[Session]:
        """Create sessions, all in memory or all durable. If anything fails, nothing remains of any of them.

        `begin` creates a context and returns it open, or the summary of one that is opened later.

        Raises:
            NameTaken: a name or handle is in use.
            TooManySessions, LowOnDisk, DiskFull: a limit has been reached.
        """
        durability = records[0].durability
        keeper: Keeper = self._durable if durability == "durable" else self._memory
        lasting = (
            [r.id for r in records] if durability == "durable" else []
        )  # contexts in memory disappear with the process
        contexts: list[Context | Told] = []

        def take_back() -> None:
            for record in records:
                keeper.delete(record.id)
            announced.settle()

        async with AsyncExitStack() as stack:
            for record in records:
                await stack.enter_async_context(self._held.alone(record.id))
            await stack.enter_async_context(self._room.for_sessions(durability, len(records)))
            with storing(), self._pending.announced(lasting) as announced:
                try:
                    for record in records:
                        if contexts:
                            await asyncio.sleep(0)  # serve calls between two sessions
                            self._room.for_copy(durability)
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
                    if refused or all([await self._is_taken_back(r.id) for r in records]):
                        take_back()
                    raise
                announced.settle()
            return [self._held.adopt(*both) for both in zip(records, contexts, strict=True)]

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

    async def snapshot(self, record: SnapshotRecord, context: Context) -> None:
        """Store a snapshot of a durable session's context. If anything fails, nothing remains of it.

        Raises:
            DiskFull: there is no space for it.
            UnknownSession: the session is deleted meanwhile.
        """
        with storing(), self._pending.announced([record.id]) as announced:
            try:
                await in_thread(_copied, self._durable, context.connection.filename, record.id)
                if not await self._records.add_snapshot(record):
                    raise UnknownSession(f"the session {record.session_id} has just been deleted")
            except BaseException as error:
                if isinstance(error, RegistryUnavailable) and not isinstance(error, RegistryBusy):
                    raise  # whether the row exists is known only when the registry answers again
                self._durable.delete_snapshot(record.id)
                announced.settle()
                raise
            announced.settle()

    async def end(self, record: SessionRecord) -> None:
        """Delete a durable session and its snapshots."""
        while True:
            snapshots = [snapshot.id for snapshot in await self._records.snapshots(record.id)]
            with self._pending.announced([record.id, *snapshots]) as announced:
                try:
                    await self._records.remove(record.id, snapshots=snapshots)
                except MoreSnapshots:
                    announced.settle()
                    continue
                self._remove(record.id, *snapshots)
                announced.settle()
                return

    async def clear_away(self) -> int:
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

    def remake(self, record: SessionRecord, spare: str, make: Callable[[str], Context]) -> None:
        """Replace a durable session's context by a new one, which `make` creates under the id `spare`.

        Raises:
            DiskFull: the old context is unchanged.
        """
        with storing(), self._pending.announced([spare]) as announced:
            try:
                context = make(spare)
                self._held.drop(record)
                self._durable.put_in_place(context, spare, record.id)
            except BaseException:
                self._durable.delete(spare)
                announced.settle()
                raise
            announced.settle()

    async def _is_taken_back(self, session_id: str) -> bool:
        """Remove a row that may have been written without confirmation. Returns whether it is certainly gone."""
        try:
            await self._records.remove(session_id)
        except RegistryUnavailable as error:
            log.error("a session that could not be made may be listed", session=session_id, reason=str(error))
            return False
        return True

    def _remove(self, *ids: str) -> None:
        for one in ids:
            if one.startswith(SNAPSHOT):
                self._durable.delete_snapshot(one)
            else:
                self._held.end(one)
                self._durable.delete(one)


def _copied(keeper: DurableKeeper, path: str, snapshot_id: str) -> None:
    source = look_at(path)
    try:
        keeper.snapshot(source, snapshot_id)
    finally:
        source.close()


def _close(contexts: Sequence[Context | Told]) -> None:
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
