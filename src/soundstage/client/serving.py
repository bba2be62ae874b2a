"""`soundstage.serve` and `soundstage.connect`: gateways for Python programs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from types import TracebackType

from soundstage.client.process import GatewayProcess
from soundstage.client.stage import AsyncStage, Stage

_START_S = 60.0


def connect(url: str, *, token: str | None = None) -> Stage:
    """Connect to the gateway that runs at `url`. `token` is its control token; a gateway on loopback may have none.

    Use the result directly or in a `with` block; `async with soundstage.connect(url) as stage` is the async form.
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
    """Run a gateway in a child process during a `with` (or `async with`) block.

    Sessions that name no world start from `world`. Sessions are stored in the folder `data`, by default a temporary folder that
    is removed with the gateway. If `token` is given, the control plane requires it; otherwise every program on this machine can
    use the control plane. `options` are further options of `soundstage serve`, for example ("--upstream", "servers.json"). The
    gateway may take `start_s` seconds to start.

    Entering the block raises:
        GatewayError: The gateway cannot start; the message is its own.
    """
    where = ("--temporary",) if data is None else ("--data", os.fspath(data))
    return Serving(("--world", world, *where, *options), token, start_s)


class Serving:
    """A gateway that starts when the block is entered, and stops with everything it started when the block is left."""

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
