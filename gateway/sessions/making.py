"""Making and ending sessions so that a process killed in the middle leaves nothing half done behind.

A session is there as soon as the registry has its row, and its context is there before that; at its end the row goes first. A
snapshot likewise. What lies between is announced (`soundstage.gateway.sessions.pending`), and the next gateway or command that
starts on the volume clears away what a killed process had announced.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager

from soundstage.contexts.engine.keepers import DurableKeeper, Keeper, MemoryKeeper, look_at
from soundstage.contexts.engine.problems import storing
from soundstage.contexts.engine.store import Context
from soundstage.gateway.log import log
from soundstage.gateway.registry.database import RegistryBusy, RegistryUnavailable
from soundstage.gateway.registry.member import Member
from soundstage.gateway.registry.records import MoreSnapshots, NameTaken, Records, Seat, SessionRecord, SnapshotRecord
from soundstage.gateway.sessions.aside import in_thread
from soundstage.gateway.sessions.held import Held
from soundstage.gateway.sessions.pending import Pending
from soundstage.gateway.sessions.problems import UnknownSession
from soundstage.gateway.sessions.room import Room
from soundstage.gateway.sessions.session import Session

FIRST_FENCE = 1
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

    async def session(
        self, record: SessionRecord, begin: Callable[[], Awaitable[Context]], seats: Sequence[Seat] = ()
    ) -> Session:
        """Make a session with the context that `begin` makes; where anything fails, nothing is left of it.

        Raises:
            NameTaken: when its name or handle is in use.
            TooManySessions, LowOnDisk, DiskFull: when there is no room for it.
        """
        owner = None if self._member is None else self._member.own.id
        keeper: Keeper = self._durable if record.durability == "durable" else self._memory
        lasting = [record.id] if record.durability == "durable" else []  # what is in memory goes with its process
        async with self._held.alone(record.id), self._room.for_session(record.durability):
            with storing(), self._pending.announced(lasting) as announced:
                try:
                    context = await begin()
                except BaseException:
                    keeper.delete(record.id)
                    announced.settle()
                    raise
                try:
                    await self._records.add(record, owner=owner, fence=0 if owner is None else FIRST_FENCE, seats=seats)
                except BaseException as error:
                    context.close()
                    if isinstance(error, NameTaken | RegistryBusy) or await self._is_taken_back(record.id):
                        keeper.delete(record.id)
                        announced.settle()
                    raise
                announced.settle()
            return self._held.adopt(record, context)

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


@contextmanager
def closing_on_failure(context: Context) -> Iterator[None]:
    """Close a context that is being made where the block fails; whoever has it made removes its file."""
    try:
        yield
    except BaseException:
        context.close()
        raise
