"""This gateway's membership in the cluster: its row in the registry, renewed while it runs."""

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
    """One of the gateways that share a registry.

    `url` is the address for other gateways; without one they cannot reach it, and its sessions stay with it until it ends.
    `volume` names the disk of its contexts.
    """

    def __init__(self, database: Database, *, url: str | None, volume: str) -> None:
        self.own = Peer(f"gw_{secrets.token_hex(8)}", url, secrets.token_urlsafe(24), volume)
        self.leases = Leases(database, self.own)
        self.draining = False
        self.alone = False
        """Whether no other gateway shared the registry at this one's last renewal."""
        self._known_s = 0.0
        self._renewing: asyncio.Task[None] | None = None

    @property
    def is_new(self) -> bool:
        """Whether another gateway may still consider itself the only one, and defer the rows of new sessions."""
        return not self.alone and time.monotonic() < self._known_s

    async def join(self) -> None:
        """Register this gateway, and renew its row in the background.

        Raises:
            RegistryUnavailable: the registry does not answer.
        """
        self._look_around(await self.leases.join())
        self._known_s = time.monotonic() + 2 * _RENEW_S
        self._renewing = asyncio.create_task(self._renew())

    async def drain(self) -> None:
        """Offer this gateway's sessions to others from now on."""
        self.draining = True
        try:
            await self.leases.drain()
        except RegistryUnavailable as error:
            log.warning("the registry could not be notified that this gateway drains", reason=str(error))

    async def leave(self) -> None:
        """Release every lease and remove this gateway's row."""
        if self._renewing is not None:
            self._renewing.cancel()
        try:
            await self.leases.leave()
        except RegistryUnavailable as error:
            log.warning("the leases were not released; they will lapse", reason=str(error))

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(_RENEW_S)
            try:
                there = await self.leases.renew()
                self._look_around(there if self.own in there else await self.leases.join())
            except RegistryUnavailable as error:
                # Sessions that are open here continue: no other gateway can take them meanwhile, and their fences would show
                # it.
                log.warning("the leases could not be renewed", reason=str(error))

    def _look_around(self, there: list[Peer]) -> None:
        self.alone = there == [self.own]


def volume_of(data: Path) -> str:
    """Return the name of the disk with a data folder: gateways that read the same name there share its contexts."""
    return made_once(data / "volume", f"vol_{secrets.token_hex(8)}")
