"""Making and ending sessions so that a process killed in the middle leaves nothing half done behind.

A session is there as soon as the registry has its row, and its context is there before that; at its end the row goes first. A
snapshot likewise. What lies between is announced (`soundstage.gateway.sessions.pending`), and the next gateway or command that
starts on the volume clears away what a killed process had announced.
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
"""What the ids of either begin with."""


class Making:
    """Makes and ends sessions and snapshots: rows in the registry, and contexts in keepers."""

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
        """Make sessions, all of them in memory or all durable, with the contexts that `begin` makes (open ones, or what
        those say of themselves that are opened later); where anything fails, nothing is left of any.

        Raises:
            NameTaken: when the name or handle of one is in use.
            TooManySessions, LowOnDisk, DiskFull: when there is no room for them.
        """
        durability = records[0].durability
        keeper: Keeper = self._durable if durability == "durable" else self._memory
        lasting = [r.id for r in records] if durability == "durable" else []  # what is in memory goes with its process
        contexts: list[Context | Told] = []

        def take_back() -> None:
            for record in records:
                keeper.delete(record.id)
            announced.settle()

        async with AsyncExitStack() as held:
            for record in records:
                await held.enter_async_context(self._held.alone(record.id))
            await held.enter_async_context(self._room.for_sessions(durability, len(records)))
            with storing(), self._pending.announced(lasting) as announced:
                try:
                    for record in records:
                        if contexts:
                            await asyncio.sleep(0)  # calls go on between one and the next
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
        """Put sessions into the registry: before the answer where they outlive this process, or others may look for them."""
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
        """Keep a durable session's context as a snapshot; where anything fails, nothing is left of it.

        Raises:
            DiskFull: when there is no room for it.
            UnknownSession: when the session is deleted meanwhile.
        """
        with storing(), self._pending.announced([record.id]) as announced:
            try:
                await in_thread(_copied, self._durable, context.connection.filename, record.id)
                if not await self._records.add_snapshot(record):
                    raise UnknownSession(f"the session {record.session_id} was deleted a moment ago")
            except BaseException as error:
                if isinstance(error, RegistryUnavailable) and not isinstance(error, RegistryBusy):
                    raise  # whether the row is there will be seen when the registry answers
                self._durable.delete_snapshot(record.id)
                announced.settle()
                raise
            announced.settle()

    async def end(self, record: SessionRecord) -> None:
        """End a durable session, and its snapshots, for good."""
        while True:
            kept = [snapshot.id for snapshot in await self._records.snapshots(record.id)]
            with self._pending.announced([record.id, *kept]) as announced:
                try:
                    await self._records.remove(record.id, snapshots=kept)
                except MoreSnapshots:
                    announced.settle()
                    continue
                self._remove(record.id, *kept)
                announced.settle()
                return

    async def clear_away(self) -> int:
        """Remove what killed processes have left half done on this volume. Returns how many sessions and snapshots.

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
        """Put a context made anew, which `make` makes under the id `spare`, in the place of a durable session's own.

        Raises:
            DiskFull: the old one is as it was.
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
        """Whether a row that may have been written, though nobody said so, is gone for sure."""
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
    """Close a context that is being made where the block fails; whoever has it made removes its file."""
    try:
        yield
    except BaseException:
        context.close()
        raise
