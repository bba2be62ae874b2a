"""The gateway extension for runs: their routes, and the background work while the gateway serves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import ClassVar

from fastapi import FastAPI
from starlette.routing import BaseRoute

from soundstage.gateway.extension import GatewayServices, Plane
from soundstage.gateway.web.page import Section
from soundstage.runs.closing import TrialCloser
from soundstage.runs.result_routes import add_result_routes
from soundstage.runs.routes import add_control_routes, runner_plane
from soundstage.runs.store import RunStore
from soundstage.runs.web.routes import page_routes


class Runs:
    """The extension, see `soundstage.gateway.extension.Extension`."""

    sections: ClassVar[Sequence[Section]] = (("/tasks", "Tasks"), ("/runs", "Runs"))

    def __init__(self, services: GatewayServices) -> None:
        self._services = services
        self._store = RunStore(services.sessions.database)
        self._closing = TrialCloser(services, self._store)

    def add_routes(self, control: FastAPI) -> None:
        """Add the routes of runs, trials and tasks to the control API."""
        add_result_routes(control, self._services, self._store)
        add_control_routes(control, self._services, self._store, self._closing)

    def planes(self) -> Sequence[Plane]:
        """Return the run plane, which runners use with a run token."""
        return [runner_plane(self._services, self._store, self._closing)]

    def pages(self) -> Sequence[BaseRoute]:
        """Return the web pages of runs, trials and tasks."""
        return page_routes(self._services, self._store)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Close and grade trials in the background while the gateway runs."""
        looking_after = asyncio.create_task(self._closing.run())
        try:
            yield
        finally:
            looking_after.cancel()
            with suppress(asyncio.CancelledError):
                await looking_after
            await self._closing.end()
