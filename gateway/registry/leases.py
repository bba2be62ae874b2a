"""Leases of sessions by gateways; each statement is atomic in the database.

A lease is valid while its owner's row in the table of gateways is fresh, by the database's clock, and the owner is not
draining. Every change of owner raises the session's fence, which the new owner writes into the context: see
`soundstage.contexts.engine.store.Context.hold`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import Connection, Row, Select, and_, delete, insert, or_, select, update

from soundstage.gateway.registry.database import Database
from soundstage.gateway.registry.tables import GATEWAYS, SESSIONS, now_ms

LEASE_MS = 6000
"""Milliseconds until a silent gateway loses its sessions."""
_FORGOTTEN_MS = 3_600_000
_THERE = and_(GATEWAYS.c.expires_ms > now_ms(), GATEWAYS.c.expires_ms <= now_ms() + LEASE_MS)
"""A row that expires later than a lease lasts was written before the database's clock was set back. A running gateway has renewed
it within 2 s; otherwise the lease of a gateway that ended would last for the length of the jump.
"""


@dataclass(frozen=True, slots=True)
class Peer:
    """A gateway as seen by others. `url` is None if it cannot be reached, because it is a command that ends soon."""

    id: str
    url: str | None
    key: str = field(repr=False)
    volume: str


@dataclass(frozen=True, slots=True)
class Lease:
    """A lease of this gateway, with its fence; `lapsed` if the previous owner did not release it."""

    fence: int
    lapsed: bool


class Leases:
    """Takes and releases leases for one gateway (`own`)."""

    def __init__(self, database: Database, own: Peer) -> None:
        self._database = database
        self._own = own

    # -- gateways ---------------------------------------------------------------------------------------------------

    async def join(self) -> list[Peer]:
        """Register this gateway and return the running ones; gateways that were silent for an hour are removed."""
        row = {"id": self._own.id, "url": self._own.url, "key": self._own.key, "volume": self._own.volume}

        def work(connection: Connection) -> list[Peer]:
            connection.execute(delete(GATEWAYS).where(GATEWAYS.c.expires_ms < now_ms() - _FORGOTTEN_MS))
            connection.execute(insert(GATEWAYS).values({**row, "expires_ms": now_ms() + LEASE_MS, "draining": False}))
            return _all_there(connection)

        return await self._database.write(work)

    async def renew(self) -> list[Peer]:
        """Renew this gateway's row and return the running gateways.

        They include this one, unless its row was removed and it must join again.
        """
        renewed = update(GATEWAYS).where(GATEWAYS.c.id == self._own.id).values(expires_ms=now_ms() + LEASE_MS)

        def work(connection: Connection) -> list[Peer]:
            connection.execute(renewed)
            return _all_there(connection)

        # Queued behind other requests it could be too late, and others would consider this gateway gone.
        return await self._database.write(work, urgent=True)

    async def drain(self) -> None:
        """Offer this gateway's sessions to others from now on."""
        draining = update(GATEWAYS).where(GATEWAYS.c.id == self._own.id).values(draining=True)
        await self._database.write(lambda connection: connection.execute(draining), urgent=True)

    async def leave(self) -> None:
        """Release every lease. Sessions in this gateway's memory end with it."""

        def work(connection: Connection) -> None:
            mine = SESSIONS.c.owner == self._own.id
            connection.execute(delete(SESSIONS).where(mine, SESSIONS.c.durability == "memory"))
            connection.execute(update(SESSIONS).where(mine).values(owner=None))
            connection.execute(delete(GATEWAYS).where(GATEWAYS.c.id == self._own.id))

        await self._database.write(work)

    async def gateways(self) -> list[Peer]:
        """Return the running gateways, this one included."""
        async with self._database.reading() as connection:
            return await connection.run_sync(_all_there)

    async def is_there(self, gateway_id: str) -> bool:
        """Whether a gateway has renewed its leases in time."""
        query = select(GATEWAYS.c.id).where(GATEWAYS.c.id == gateway_id, _THERE)
        async with self._database.reading() as connection:
            return (await connection.execute(query)).first() is not None

    # -- sessions ---------------------------------------------------------------------------------------------------

    async def take(self, session_id: str, *, though: str | None = None) -> Lease | Peer | None:
        """Take a session's lease. Returns the owner if another gateway has it, and None if there is no such session.

        `though` names an owner that is known to be gone before its lease has lapsed.
        """
        holding = select(GATEWAYS.c.id).where(_THERE, GATEWAYS.c.draining.is_(False))
        owner = SESSIONS.c.owner
        of_it = select(owner, SESSIONS.c.fence).where(SESSIONS.c.id == session_id)
        free = or_(owner.is_(None), owner == self._own.id, owner.not_in(holding), owner == though)
        taking = (
            update(SESSIONS)
            .where(and_(SESSIONS.c.id == session_id, SESSIONS.c.durability == "durable", free))
            .values(owner=self._own.id, fence=SESSIONS.c.fence + 1)
        )

        def work(connection: Connection) -> Lease | Peer | None:
            before = connection.execute(of_it).first()
            if before is None:
                return None
            if not connection.execute(taking).rowcount:
                having = connection.execute(_owner_of(session_id)).first()
                return None if having is None else _peer(having)
            return Lease(connection.execute(of_it).one().fence, lapsed=before.owner not in (None, self._own.id))

        return await self._database.write(work)

    async def owner_of(self, session_id: str) -> Peer | None:
        """Return the running gateway that has a session; None if there is no owner, or the owner is silent."""
        async with self._database.reading() as connection:
            row = (await connection.execute(_owner_of(session_id))).first()
        return None if row is None else _peer(row)

    async def let_go(self, session_id: str) -> None:
        """Release one lease."""
        mine = (SESSIONS.c.id == session_id) & (SESSIONS.c.owner == self._own.id)
        giving = update(SESSIONS).where(mine).values(owner=None)
        await self._database.write(lambda connection: connection.execute(giving))


def _all_there(connection: Connection) -> list[Peer]:
    return [_peer(row) for row in connection.execute(select(GATEWAYS).where(_THERE).order_by(GATEWAYS.c.id))]


def _owner_of(session_id: str) -> Select[tuple[object, ...]]:
    query = select(GATEWAYS).join(SESSIONS, SESSIONS.c.owner == GATEWAYS.c.id)
    return query.where(SESSIONS.c.id == session_id, _THERE)


def _peer(row: Row[tuple[object, ...]]) -> Peer:
    return Peer(row.id, row.url, row.key, row.volume)
