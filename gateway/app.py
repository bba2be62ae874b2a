"""The gateway as one ASGI application: every address and what stands behind it, composed here."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import AsyncIterator

from mcp.server.transport_security import RequestBodyLimitMiddleware
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from gateway import metrics
from gateway.control.api import build_api
from gateway.guard import Guard
from gateway.log import log
from gateway.mcp.faces import app_face, shared_face
from gateway.mcp.http import McpAddresses
from gateway.sessions.sessions import NewSession, Sessions
from gateway.settings import DEFAULT_SESSION, Settings
from servers.catalogue import load_apps

_EXPIRY_ROUND_S = 60.0
_EXPIRED_KEPT_S = 24 * 3600.0


def build_app(settings: Settings, *, warm: bool = False) -> Starlette:
    """The gateway. Its sessions live in `settings.data`; start and stop come with ASGI's lifespan.

    `warm` loads everything before the first request, and makes the default session, for a process that will serve many.
    """
    sessions = Sessions(settings)
    addresses = McpAddresses(sessions, settings)
    api = build_api(sessions, settings)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await sessions.start()
        if warm:
            _warm()
            if settings.loopback:
                await sessions.by_name(DEFAULT_SESSION, NewSession(name=DEFAULT_SESSION))
        expiry = asyncio.create_task(_expire(sessions))
        try:
            async with addresses.run():
                yield
        finally:
            expiry.cancel()
            await sessions.stop()

    async def healthz(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def show_metrics(request: Request) -> Response:
        metrics.CONTEXTS_OPEN.set(sessions.open_count)
        return Response(generate_latest(metrics.REGISTRY), media_type=CONTENT_TYPE_LATEST)

    async def openapi(request: Request) -> Response:
        return JSONResponse(api.openapi())

    return Starlette(
        routes=[
            Route("/s/{handle}/mcp", addresses),
            Route("/s/{handle}/{app}/mcp", addresses),
            Route("/mcp", addresses),
            Route("/healthz", healthz),
            Route("/metrics", show_metrics),
            Route("/openapi.json", openapi),
            Mount("/", RequestBodyLimitMiddleware(api, settings.max_body)),
        ],
        middleware=[Middleware(Guard, settings=settings)],
        lifespan=lifespan,
    )


def _warm() -> None:
    """Load every kernel, schema and list before the first call, and take them out of the collector's sight."""
    for app in load_apps().values():
        for tool in app.tools.values():
            _ = tool.kernel, tool.validator
        _ = app_face(app.name).tools_json
    _ = shared_face(tuple(load_apps())).tools_json
    gc.collect()
    gc.freeze()


async def _expire(sessions: Sessions) -> None:
    """Remove sessions a day after their end, for as long as the gateway runs."""
    while True:
        await asyncio.sleep(_EXPIRY_ROUND_S)
        try:
            removed = await sessions.remove_expired(keep_s=_EXPIRED_KEPT_S)
        except Exception:
            log.exception("removing expired sessions failed; trying again in the next round")
        else:
            if removed:
                log.info("expired sessions removed", count=removed)
