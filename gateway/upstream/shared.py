"""Upstreams added through any gateway's control plane: stored in the registry, and followed by every gateway."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping

from soundstage.gateway.log import log
from soundstage.gateway.registry.database import RegistryUnavailable
from soundstage.gateway.registry.upstreams import Entry, UpstreamRecords, UpstreamTaken
from soundstage.gateway.upstream.config import Declaration, UpstreamConfigError, in_clear, parse_declarations
from soundstage.gateway.upstream.upstream import Upstream
from soundstage.gateway.upstream.upstreams import Upstreams

_ROUND_S = 2.0


class SharedUpstreams:
    """Adds and removes upstreams for all gateways of a registry, and follows the changes of the others.

    A declaration with a secret in clear stays in the gateway that received it: the registry stores `${NAME}`, never its value.
    """

    def __init__(self, upstreams: Upstreams, records: UpstreamRecords) -> None:
        self._upstreams = upstreams
        self._records = records
        self._followed: dict[str, Entry] = {}  # as in the registry
        self._taken_up: set[str] = set()  # the upstreams that were added here
        self._lock = asyncio.Lock()
        self._following: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Add the registry's upstreams, and start to follow it."""
        await self.catch_up()
        self._following = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        """Stop following the declarations of other gateways."""
        if self._following is not None:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)

    async def declare(self, entries: Mapping[str, Entry], declarations: list[Declaration]) -> list[Upstream]:
        """Add upstreams, here at once and at the other gateways soon. `entries` are the original declarations.

        Raises:
            UpstreamConfigError: a name is in use or an address is not allowed; nothing has been added then.
            RegistryUnavailable: likewise.
        """
        await self.catch_up()
        async with self._lock:
            await self._upstreams.check(declarations)
            wanted = [declaration.name for declaration in declarations]
            stored = {name: entries[name] for name in wanted if in_clear(entries[name]) is None}
            if stored:
                try:
                    await self._records.add(stored)
                except UpstreamTaken:
                    raise UpstreamConfigError("another gateway has added one of these names; remove it first") from None
            self._followed |= stored
            self._taken_up |= stored.keys()
            return await self._upstreams.declare(declarations)

    async def remove(self, name: str) -> None:
        """Remove an upstream here, and at every gateway if the registry has it.

        Raises:
            UnknownUpstream: there is no such upstream.
            RegistryUnavailable: the registry does not answer; nothing is removed then.
        """
        async with self._lock:
            known = await self._records.remove(name)
            self._followed.pop(name, None)
            self._taken_up.discard(name)
            if self._upstreams.find(name) is not None or not known:
                await self._upstreams.remove(name)

    def is_shared(self, name: str) -> bool:
        """Whether all gateways have it."""
        return name in self._taken_up

    async def catch_up(self) -> None:
        """Apply the changes of other gateways since the last look. Without an answer of the registry nothing changes."""
        async with self._lock:
            try:
                recorded = await self._records.all()
            except RegistryUnavailable:
                return
            for name in [n for n, entry in self._followed.items() if recorded.get(n) != entry]:
                del self._followed[name]
                if name in self._taken_up:
                    self._taken_up.remove(name)
                    await self._upstreams.remove(name)
            for name in recorded.keys() - self._followed.keys():
                self._followed[name] = recorded[name]
                await self._take_up(name, recorded[name])

    async def _take_up(self, name: str, entry: Entry) -> None:
        try:
            await self._upstreams.declare(parse_declarations({"mcpServers": {name: entry}}, os.environ))
        except UpstreamConfigError as error:  # for example, a variable that only the other gateway has
            log.error("an upstream of the registry cannot be added here", upstream=name, reason=str(error))
        else:
            self._taken_up.add(name)

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(_ROUND_S)
            try:
                await self.catch_up()
            except Exception:
                log.exception("following the registry's upstreams failed; trying again in the next round")
