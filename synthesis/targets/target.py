"""The common interface of servers: they can be started repeatedly, and each start answers calls in sequence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

Transport = Literal["answered", "closed", "timed_out"]
"""The transport result of a call: a reply, the end of the connection or process, or a timeout."""

State = Mapping[str, Sequence[Mapping[str, Any]]]
"""An app's objects by entity."""


class Unreachable(RuntimeError):
    """The server does not start, or does not speak MCP; the message says what happened."""


class NotPossible(RuntimeError):
    """The target does not support the requested start or call; the message has the reason."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """A client's result of a call.

    Attributes:
        reply: MCP's result (`content`, `isError`, `structuredContent`), `{"error": {code, message}}` from JSON-RPC, or None.
        ms: The duration in milliseconds.
        ok: Whether the call succeeded, if the target knows that from more than the reply, else None.
        error_kind: The kind of failure, likewise.
    """

    transport: Transport
    reply: dict[str, Any] | None
    ms: int
    ok: bool | None = None
    error_kind: str | None = None


@dataclass(frozen=True, slots=True)
class ServerDescription:
    """A server's self-description: `server_info`, protocol revision, capabilities, instructions, and tools by name."""

    server_info: dict[str, Any]
    protocol: str
    capabilities: dict[str, Any]
    instructions: str | None
    tools: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Start:
    """The conditions of a start.

    They are the process's time zone and, for a simulated app, the initial state, the time, and the generation of the real
    server.
    """

    zone: str = "UTC"
    given: State = field(default_factory=dict)
    clock: str | None = None
    generation: str | None = None


DEFAULT_START = Start()
"""The server's default start."""


class Connection(Protocol):
    """One start of a server."""

    @property
    def scratch(self) -> Path:
        """The folder of this start, as the server's clients name it."""
        ...

    @property
    def is_open(self) -> bool:
        """Whether calls can still be answered."""
        ...

    async def describe(self) -> ServerDescription:
        """Return the server's self-description, with tools sorted by name."""
        ...

    async def call(self, tool: str, arguments: dict[str, Any] | None) -> CallResult:
        """Make a call; with None, no arguments are sent."""
        ...


class Target(Protocol):
    """A server that can be started (or reached) again and again."""

    def fresh(self, start: Start = DEFAULT_START) -> AbstractAsyncContextManager[Connection]:
        """Start the server; the start is valid during the block.

        Raises:
            Unreachable: The server does not start or respond.
            NotPossible: The target does not support this start.
        """
        ...


def innermost(error: BaseException) -> BaseException:
    """Return the original exception inside the exception groups of task groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
