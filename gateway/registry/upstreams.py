"""The registry's records of upstreams added through the control plane, for all gateways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import delete, insert, select
from sqlalchemy.exc import IntegrityError

from soundstage.gateway.registry.database import Database
from soundstage.gateway.registry.tables import UPSTREAMS

Entry = Mapping[str, Any]
"""A member of `mcpServers` as it was declared, with `${NAME}` for its secrets."""


class UpstreamTaken(Exception):
    """Another upstream has one of the names."""


class UpstreamRecords:
    """Reads and writes the registry's records of upstreams."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> dict[str, Entry]:
        """Return all upstreams by name."""
        async with self._database.reading() as connection:
            rows = await connection.execute(select(UPSTREAMS.c.name, UPSTREAMS.c.entry).order_by(UPSTREAMS.c.name))
            return {row.name: row.entry for row in rows}

    async def add(self, entries: Mapping[str, Entry]) -> None:
        """Record upstreams, all or none.

        Raises:
            UpstreamTaken: a name is already recorded, irrespective of case.
        """
        rows = [{"key": name.lower(), "name": name, "entry": dict(entry)} for name, entry in entries.items()]
        try:
            await self._database.write(lambda connection: connection.execute(insert(UPSTREAMS), rows))
        except IntegrityError:
            raise UpstreamTaken from None

    async def remove(self, name: str) -> bool:
        """Remove an upstream. Returns False if there is none of this name."""
        forget = delete(UPSTREAMS).where(UPSTREAMS.c.name == name)
        return await self._database.write(lambda connection: connection.execute(forget).rowcount > 0)
