"""The Python client: it drives a gateway in another process over the control API, and imports nothing of the gateway."""

from soundstage.client.problems import GatewayError
from soundstage.client.serving import connect, serve
from soundstage.client.session import AsyncSession, Session
from soundstage.client.shapes import Change, JournalLine, SessionOptions, State
from soundstage.client.stage import AsyncStage, Stage

__all__ = [
    "AsyncSession",
    "AsyncStage",
    "Change",
    "GatewayError",
    "JournalLine",
    "Session",
    "SessionOptions",
    "Stage",
    "State",
    "connect",
    "serve",
]
