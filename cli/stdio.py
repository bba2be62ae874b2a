"""The implementation of `soundstage stdio` and `soundstage app`."""

from __future__ import annotations

from soundstage.contexts.engine.problems import ContextError
from soundstage.gateway.calls.service import CallService
from soundstage.gateway.calls.toolset import app_toolset, shared_toolset
from soundstage.gateway.mcp.handshake import Handshake
from soundstage.gateway.mcp.pipe import serve_pipe
from soundstage.gateway.registry.database import RegistryDamaged, RegistryUnavailable
from soundstage.gateway.registry.records import NameTaken
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.problems import BadRequest, NoCapacity, ReadOnlySession, UnknownSession
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import NewSession, Sessions, default_listing
from soundstage.gateway.settings import Settings, ToolList
from soundstage.worlds import BrokenWorld, UnknownWorld

EXPECTED = (
    BadRequest,
    ReadOnlySession,
    BrokenWorld,
    ContextError,
    NameTaken,
    NoCapacity,
    RegistryDamaged,
    RegistryUnavailable,
    UnknownSession,
    UnknownWorld,
)
"""Errors of a session whose message is meant for the user of the command."""


async def run_stdio(
    settings: Settings,
    name: str,
    world: str,
    app: str | None,
    tools: ToolList | None = None,
    apps: tuple[str, ...] | None = None,
) -> None:
    """Serve a session over stdin and stdout, and create it from `world` if it is missing.

    `tools` selects the listed tools, `apps` their apps; None leaves the choice to the session.

    Raises:
        one of `EXPECTED`: the session cannot be used.
    """
    sessions = Sessions(settings)
    finder = ToolFinder(settings.data)
    await sessions.start()
    try:
        wanted = NewSession(name=name, world=world, apps=apps, tools=tools)
        existing = await sessions.find(name)
        if existing is not None:
            existing.check_changeable()  # a stdio client's calls would bypass the call limit of a trial
        there = sessions.check(wanted) if existing is None else existing.apps
        if lacking := [a for a in apps or () if a not in there]:
            raise BadRequest(f"the session {name} has no {lacking[0]}; it has: {', '.join(there)}")
        listing = tools or (default_listing(apps or there) if existing is None else existing.record.tools)
        unavailable = wanted.unavailable if existing is None else existing.record.unavailable
        toolset = (
            shared_toolset(apps or there, listing, unavailable=unavailable)
            if app is None
            else app_toolset(app, unavailable=unavailable)
        )
        handshake = Handshake(wanted.server if existing is None else existing.record.server, toolset, existing)

        async def find(handle: str) -> Session:
            return sessions.live(handle) or await sessions.by_handle(handle)

        await serve_pipe(handshake, lambda: sessions.by_name(name, wanted), find, toolset, CallService(finder))
    finally:
        finder.close()
        await sessions.stop()
