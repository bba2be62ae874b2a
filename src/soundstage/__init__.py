"""Simulated apps for software agents: real MCP servers over private, resettable, replayable contexts.

`serve` starts a gateway for a `with` block and `connect` uses a running one. Both return a `Stage`, which creates sessions.
"""

from typing import TYPE_CHECKING

__version__ = "0.2.0"

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
    "__version__",
    "connect",
    "serve",
]

if TYPE_CHECKING:
    from soundstage.client import (
        AsyncSession,
        AsyncStage,
        Change,
        GatewayError,
        JournalLine,
        Session,
        SessionOptions,
        Stage,
        State,
        connect,
        serve,
    )
else:
    # The client is loaded on first use: every module of the gateway imports this one, and none of them needs the client.
    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module 'soundstage' has no attribute {name!r}")
        from soundstage import client

        return getattr(client, name)


def __dir__() -> list[str]:
    return sorted(__all__)
