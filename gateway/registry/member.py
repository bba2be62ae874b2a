"""This gateway as others know it: its row in the registry, kept fresh for as long as it runs."""

from __future__ import annotations

import asyncio
import secrets
import time
from pathlib import Path

from soundstage.gateway.files import made_once
from soundstage.gateway.log import log
from soundstage.gateway.registry.database import Database, RegistryUnavailable
from soundstage.gateway.registry.leases import LEASE_MS, Leases, Peer

_RENEW_S = LEASE_MS / 3000


class Member:
    """One gateway among those that share a registry.

    `url` is where the others reach it; None for one that nobody can reach, which keeps what it has until it ends. `volume`
    names the disk of its contexts.
    """

    def __init__(self, database: Database, *, url: str | None, volume: str) -> None:
        self.own = Peer(f"gw_{secrets.token_hex(8)}", url, secrets.token_urlsafe(24), volume)
        self.leases = Leases(database, self.own)
        self.draining = False
        self.alone = False
        """Whether no other gateway shared the registry when this one last said that it is there."""
        self._known_s = 0.0
        self._renewing: asyncio.Task[None] | None = None

    @property
    def is_new(self) -> bool:
        """Whether another gateway may still take itself for the only one, and leave new sessions' rows for a moment later."""
        return not self.alone and time.monotonic() < self._known_s

    async def join(self) -> None:
        """Make this gateway known and keep it so.

        Raises:
            RegistryUnavailable: when the registry does not answer.
        """
        self._look_around(await self.leases.join())
        self._known_s = time.monotonic() + 2 * _RENEW_S
        self._renewing = asyncio.create_task(self._renew())

    async def drain(self) -> None:
        """Let others have this gateway's sessions from now on."""
        self.draining = True
        try:
            await self.leases.drain()
        except RegistryUnavailable as error:
            log.warning("the registry was not told that this gateway drains", reason=str(error))

    async def leave(self) -> None:
        """Give every lease back and be forgotten."""
        if self._renewing is not None:
            self._renewing.cancel()
        try:
            await self.leases.leave()
        except RegistryUnavailable as error:
            log.warning("the leases were not given back; they run out by themselves", reason=str(error))

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(_RENEW_S)
            try:
                there = await self.leases.renew()
                self._look_around(there if self.own in there else await self.leases.join())
            except RegistryUnavailable as error:
                # Sessions that are open here go on: nobody can take them either, and their fences would tell.
                log.warning("the leases could not be renewed", reason=str(error))

    def _look_around(self, there: list[Peer]) -> None:
        self.alone = there == [self.own]


def volume_of(data: Path) -> str:
    """What names the disk under a data folder: gateways that find the same name there see the same contexts."""
    return made_once(data / "volume", f"vol_{secrets.token_hex(8)}")
