"""Which upstreams the control plane has added, for every gateway of the registry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import delete, insert, select
from sqlalchemy.exc import IntegrityError

from soundstage.gateway.registry.database import Database
from soundstage.gateway.registry.tables import UPSTREAMS

Entry = Mapping[str, Any]
"""What stands under a name in `mcpServers`, as it was declared: `${NAME}` where its secrets are."""


class UpstreamTaken(Exception):
    """One of the names is another upstream's."""


class UpstreamRecords:
    """Reads and writes what the registry knows about upstreams."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> dict[str, Entry]:
        """Every one, by name."""
        async with self._database.reading() as connection:
            rows = await connection.execute(select(UPSTREAMS.c.name, UPSTREAMS.c.entry).order_by(UPSTREAMS.c.name))
            return {row.name: row.entry for row in rows}

    async def add(self, entries: Mapping[str, Entry]) -> None:
        """Record some, all or none.

        Raises:
            UpstreamTaken: when a name, in capital or small letters, is recorded already.
        """
        rows = [{"key": name.lower(), "name": name, "entry": dict(entry)} for name, entry in entries.items()]
        try:
            await self._database.write(lambda connection: connection.execute(insert(UPSTREAMS), rows))
        except IntegrityError:
            raise UpstreamTaken from None

    async def remove(self, name: str) -> bool:
        """Forget one. False where there is none of this name."""
        forget = delete(UPSTREAMS).where(UPSTREAMS.c.name == name)
        return await self._database.write(lambda connection: connection.execute(forget).rowcount > 0)
