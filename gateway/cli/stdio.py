"""What `backlot stdio` and `backlot app` run."""

from __future__ import annotations

from contexts.engine.store import ContextError
from contexts.worlds import UnknownWorld
from gateway.mcp.faces import app_face, shared_face
from gateway.mcp.stdio import serve_stdio
from gateway.sessions.registry import NameTaken, RegistryDamaged
from gateway.sessions.sessions import BadRequest, NewSession, Sessions, UnknownSession
from gateway.settings import Settings

EXPECTED = (BadRequest, ContextError, NameTaken, RegistryDamaged, UnknownSession, UnknownWorld)
"""What can be wrong with a session; the message is for the person who started the command."""


async def run_stdio(settings: Settings, name: str, world: str, app: str | None) -> None:
    """Serve the session of this name, made from `world` if it is missing, over stdin and stdout.

    Raises:
        one of `EXPECTED`: when the session cannot be used.
    """
    sessions = Sessions(settings)
    await sessions.start()
    try:
        session = await sessions.by_name(name, NewSession(name=name, world=world))
        await serve_stdio(session, shared_face(session.apps) if app is None else app_face(app))
    finally:
        await sessions.stop()
