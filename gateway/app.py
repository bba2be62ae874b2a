"""The composition of the gateway as one ASGI application: all addresses and the components behind them."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Protocol

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from soundstage.contexts.engine.problems import ContextError
from soundstage.gateway import gauges, metrics
from soundstage.gateway.access import Access
from soundstage.gateway.addresses import shown_in
from soundstage.gateway.bodies import BodyBudget, BodyBuffer
from soundstage.gateway.calls.call_log import flush_call_log
from soundstage.gateway.calls.service import CallService
from soundstage.gateway.calls.toolset import app_toolset, shared_toolset
from soundstage.gateway.cluster.forward import Forwarder
from soundstage.gateway.cluster.router import SessionRouter
from soundstage.gateway.control.api import build_api
from soundstage.gateway.control.plane import document_of
from soundstage.gateway.extension import Extend, GatewayServices
from soundstage.gateway.guard import Guard, problem
from soundstage.gateway.inspection.reader import Reader
from soundstage.gateway.journal.overview import TotalsCache
from soundstage.gateway.limited import RateLimited, by_handle, by_open_session, by_token
from soundstage.gateway.log import log
from soundstage.gateway.mcp.http import McpAddresses, refuse
from soundstage.gateway.reading.readers import Readers
from soundstage.gateway.refusals import INTERNAL
from soundstage.gateway.registry.records import NameTaken
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.capacity import affordable_contexts
from soundstage.gateway.sessions.problems import NoCapacity, OwnedElsewhere
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import DEFAULT_SESSION, Settings, prepare_data_folder
from soundstage.gateway.upstream.catalogue import upstream_app
from soundstage.gateway.upstream.config import Declaration
from soundstage.gateway.upstream.shared import SharedUpstreams
from soundstage.gateway.upstream.upstreams import Upstreams
from soundstage.gateway.web.page import SECTIONS, Web, environment
from soundstage.gateway.web.routes import page_routes
from soundstage.models.asking import Model
from soundstage.models.chat import Chat
from soundstage.models.spend import Budget, Spend
from soundstage.servers.catalogue import load_apps


class MetricsOfAll(Protocol):
    """Merges the metrics of several processes that share an address."""

    def asked_by_worker(self, request: Request) -> bool:
        """Whether a request comes from another worker, which adds these metrics to its own."""

    async def all_workers(self, own: bytes) -> bytes:
        """Return the metrics of all workers; `own` are those of this process."""


_ROUND_S = 60.0
_EXPIRED_KEPT_S = 24 * 3600.0
_MODEL_TRIES = 2
_MODEL_S = 60.0


def build_app(
    settings: Settings, *, warm: bool = False, declared: Sequence[Declaration] = (), extensions: Sequence[Extend] = ()
) -> Starlette:
    """Build the gateway. Its sessions are stored in `settings.data`; it starts and stops with ASGI's lifespan.

    With `warm`, it loads everything before the first request and creates the default session, for a process that will serve
    many requests. `declared` are its initial upstreams and `extensions` the components that use it. The server uses two members
    of its `state`: it awaits `drain()` before the end, and sets `merge_metrics` if several processes answer /metrics as one.

    Raises:
        DataFolderError: the data folder can be neither created nor written.
    """
    prepare_data_folder(settings.data)
    settings = replace(settings, max_open=affordable_contexts(settings.max_open))
    sessions = Sessions(settings, joins=True)
    forwarder = Forwarder(sessions.volume)
    finder = ToolFinder(settings.data)
    upstreams = Upstreams(allow_private=settings.allow_private)
    shared = SharedUpstreams(upstreams, sessions.upstream_records)
    sessions.upstream_apps = lambda: {u.name: upstream_app(u) for u in upstreams.all()}
    calls = CallService(finder, _model(settings.model_questions))
    addresses = McpAddresses(sessions, settings, calls, upstreams)
    agent_plane: ASGIApp = SessionRouter(addresses, sessions, forwarder, plane="agent", refuse=refuse)
    access = Access(settings)
    tally, readers, builder = TotalsCache(), Readers(library=settings.built or settings.worlds), Readers(at_once=1)
    reader = Reader(readers, settings.data / "reading")
    api = build_api(sessions, settings, finder, calls, upstreams, shared, access, forwarder, tally, reader)
    sections = (*SECTIONS, *(section for extend in extensions for section in extend.sections))
    web = Web(sessions, settings, access, calls, finder, upstreams, environment(), tally, reader, sections)
    extended = [extend(GatewayServices(settings, sessions, access, calls, web)) for extend in extensions]
    planes = [plane for extension in extended for plane in extension.planes()]
    for extension in extended:
        extension.add_routes(api)
    routes = [
        *page_routes(web),
        *(page for extension in extended for page in extension.pages()),
        *(Route(f"{plane.below}/{{rest:path}}", plane.api) for plane in planes),
    ]
    control_plane: ASGIApp = SessionRouter(
        Router(routes, default=api), sessions, forwarder, plane="control", refuse=problem
    )
    budget = BodyBudget(settings.max_in_flight, largest=settings.max_body)
    agent_plane = BodyBuffer(
        agent_plane, budget, largest=settings.max_body, client_of=by_open_session(sessions.live), refuse=refuse
    )
    control_plane = BodyBuffer(
        control_plane, budget, largest=settings.max_body, client_of=by_token(settings), refuse=problem
    )

    if settings.max_rate is not None and sessions.member is not None:
        per_s, own = settings.max_rate, sessions.member.own
        agent_plane = RateLimited(agent_plane, per_s, client_of=by_handle, own=own, refuse=refuse)
        control_plane = RateLimited(control_plane, per_s, client_of=by_token(settings), own=own, refuse=problem)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await sessions.start()
        reader.clear_away()
        if warm:
            _warm(finder)
            if settings.loopback and settings.share.owns(DEFAULT_SESSION):
                await _ready_default(sessions)
        sessions.builder = builder
        looking_after = asyncio.create_task(_look_after(sessions, settings.idle_s))
        try:
            await upstreams.start(declared)
            await shared.start()
            async with contextlib.AsyncExitStack() as running:
                for extension in extended:
                    await running.enter_async_context(extension.running())
                await running.enter_async_context(addresses.run())
                yield
        finally:
            looking_after.cancel()
            await shared.stop()
            await upstreams.stop()
            await readers.close()
            await builder.close()
            await sessions.stop()
            flush_call_log()
            await forwarder.close()
            finder.close()

    async def healthz(request: Request) -> Response:
        if sessions.draining:
            return JSONResponse({"status": "draining"}, 503)
        return JSONResponse({"status": "ok"})

    async def show_metrics(request: Request) -> Response:
        flush_call_log()
        await gauges.refresh(sessions, settings)
        shown = generate_latest(metrics.REGISTRY)
        merge: MetricsOfAll | None = app.state.merge_metrics
        if merge is None or not merge.asked_by_worker(request):
            try:
                await access.authorize(request)
            except HTTPException as refusal:
                return problem(refusal.status_code, refusal.detail)
            shown = shown if merge is None else await merge.all_workers(shown)
        return Response(shown, media_type=CONTENT_TYPE_LATEST)

    async def openapi(request: Request) -> Response:
        return JSONResponse(document_of(api, [plane.api for plane in planes]))

    app = Starlette(
        routes=[
            Route("/healthz", healthz),
            Route("/metrics", show_metrics),
            Route("/openapi.json", openapi),
            Mount("/", control_plane),
        ],
        exception_handlers={Exception: _unexpected},
        middleware=[Middleware(Guard, settings=settings), Middleware(_AgentPlane, agent_plane=agent_plane)],
        lifespan=lifespan,
    )
    app.state.drain = sessions.drain
    app.state.merge_metrics = None
    return app


def _model(questions: int) -> Model | None:
    """Create the model of the environment, with a limit of questions by kernels.

    An agent waits for its replies, so retries are short.

    Raises:
        ModelError: its address or key is invalid.
    """
    model = Chat.from_environment() if questions else None
    return model and Spend(
        replace(model, tries=_MODEL_TRIES, timeout_s=_MODEL_S, total_s=_MODEL_S), Budget(questions=questions)
    )


async def _unexpected(request: Request, error: Exception) -> Response:
    """Create the response to an unexpected exception, which the server logs."""
    return (problem if shown_in(request.url.path) is None else refuse)(500, INTERNAL)


class _AgentPlane:
    """Handles requests to MCP addresses before the router, whose search takes longer."""

    def __init__(self, app: ASGIApp, agent_plane: ASGIApp) -> None:
        self._app = app
        self._agent_plane = agent_plane

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (shown := shown_in(scope["path"])) is not None:
            scope["path_params"] = shown
            await self._agent_plane(scope, receive, send)
        else:
            await self._app(scope, receive, send)


async def _ready_default(sessions: Sessions) -> None:
    """Open or create the default session. Calls report an error in it."""
    try:
        await sessions.by_name(DEFAULT_SESSION, NewSession(name=DEFAULT_SESSION, tools=None))
    except (OwnedElsewhere, NameTaken):
        pass  # another gateway has it or is creating it now
    except (ContextError, NoCapacity) as error:
        log.warning("the default session cannot be used", reason=str(error))


def _warm(finder: ToolFinder) -> None:
    """Load every kernel, schema and list before the first call, and exclude them from garbage collection."""
    for app in load_apps().values():
        for tool in app.tools.values():
            _ = tool.kernel, tool.validator
        _ = app_toolset(app.name).tools_json
    every = shared_toolset(tuple(load_apps()))
    _ = every.tools_json
    finder.prepare(every.catalogue)
    gc.freeze()  # without a collection first, which would examine 300,000 objects to free some hundred
    gc.enable()


async def _look_after(sessions: Sessions, idle_s: float) -> None:
    """Periodically close idle contexts, remove sessions a day after their end, and remove what killed processes left."""
    while True:
        await asyncio.sleep(min(_ROUND_S, idle_s))
        try:
            closed = await sessions.close_idle(idle_s)
            removed = await sessions.remove_expired(keep_s=_EXPIRED_KEPT_S)
            await sessions.remove_abandoned()
        except Exception:
            log.exception("looking after sessions failed; trying again in the next round")
        else:
            if closed or removed:
                log.info("sessions looked after", idle_closed=closed, expired_removed=removed)
