"""What `soundstage stdio` and `soundstage app` run."""

from __future__ import annotations

import gc

from soundstage.contexts.engine.problems import ContextError
from soundstage.gateway.calls.face import app_face, shared_face
from soundstage.gateway.calls.make import Calls
from soundstage.gateway.mcp.stdio import serve_stdio
from soundstage.gateway.registry.database import RegistryDamaged, RegistryUnavailable
from soundstage.gateway.registry.records import NameTaken
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.problems import BadRequest, NoRoom, UnknownSession
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings, ToolList
from soundstage.worlds import BrokenWorld, UnknownWorld

EXPECTED = (
    BadRequest,
    BrokenWorld,
    ContextError,
    NameTaken,
    NoRoom,
    RegistryDamaged,
    RegistryUnavailable,
    UnknownSession,
    UnknownWorld,
)
"""What can be wrong with a session; the message is for the person who started the command."""


async def run_stdio(
    settings: Settings,
    name: str,
    world: str,
    app: str | None,
    tools: ToolList | None = None,
    apps: tuple[str, ...] | None = None,
) -> None:
    """Serve the session of this name, made from `world` if it is missing, over stdin and stdout.

    `tools` says what is listed, `apps` of which apps; None leaves it to the session.

    Raises:
        one of `EXPECTED`: when the session cannot be used.
    """
    sessions = Sessions(settings)
    finder = ToolFinder(settings.data)
    await sessions.start()
    try:
        session = await sessions.by_name(name, NewSession(name=name, world=world, apps=apps, tools=tools or "all"))
        listing = tools or session.record.tools
        if lacking := [a for a in apps or () if a not in session.apps]:
            raise BadRequest(f"the session {name} has no {lacking[0]}; it has: {', '.join(session.apps)}")
        face = shared_face(apps or session.apps, listing) if app is None else app_face(app)
        gc.freeze()
        gc.enable()
        await serve_stdio(session, face, Calls(finder))
    finally:
        finder.close()
        await sessions.stop()
