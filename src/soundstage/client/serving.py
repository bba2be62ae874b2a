"""`soundstage.serve`: a gateway for as long as a `with` block."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from types import TracebackType

from soundstage.client.process import GatewayProcess
from soundstage.client.stage import AsyncStage, Stage

_START_S = 60.0


def connect(url: str, *, token: str | None = None) -> Stage:
    """The gateway that runs at `url`. `token` is its control plane's; one that only this machine reaches may have none.

    To be used as it is, or in a `with`; `async with soundstage.connect(url) as stage` is the async form.
    """
    return Stage(url, token)


def serve(
    world: str = "studio",
    *,
    data: str | os.PathLike[str] | None = None,
    token: str | None = None,
    options: Sequence[str] = (),
    start_s: float = _START_S,
) -> Serving:
    """A gateway in a process of its own, for as long as the block of a `with` (or `async with`) runs.

    Sessions that name no world start from `world`. What they hold is in the folder `data`; without one in a temporary folder,
    which goes with the gateway. `token` is asked of whoever uses the control plane, which is open to this machine's programs
    otherwise. `options` are further ones of the command `soundstage serve`, such as ("--upstream", "servers.json"). It may
    take `start_s` seconds to start.

    Entering it raises:
        GatewayError: when the gateway cannot start, with its own words.
    """
    where = ("--temporary",) if data is None else ("--data", os.fspath(data))
    return Serving(("--world", world, *where, *options), token, start_s)


class Serving:
    """A gateway that starts when this is entered, and ends with everything it started when it is left."""

    def __init__(self, options: Sequence[str], token: str | None, start_s: float) -> None:
        self._options = options
        self._token = token
        self._start_s = start_s

    def __enter__(self) -> Stage:
        self._process = GatewayProcess(self._options, self._token)
        try:
            self._stage = Stage(self._process.wait(self._start_s), self._token)
        except BaseException:
            self._process.end()
            raise
        return self._stage

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._stage.close()
        self._process.end()

    async def __aenter__(self) -> AsyncStage:
        self._process = GatewayProcess(self._options, self._token)
        try:
            url = await asyncio.to_thread(self._process.wait, self._start_s)
        except BaseException:
            await asyncio.to_thread(self._process.end)
            raise
        self._awaited = AsyncStage(url, self._token)
        return self._awaited

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self._awaited.close()
        await asyncio.to_thread(self._process.end)
