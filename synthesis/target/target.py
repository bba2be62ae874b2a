"""What every server is to those who ask it: it can be started again and again, and a start answers calls one after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

Transport = Literal["answered", "closed", "timed_out"]
"""What came of a call: an answer, the end of the connection or process, or nothing within the time that it had."""

State = Mapping[str, Sequence[Mapping[str, Any]]]
"""An app's objects by entity."""


class Unreachable(RuntimeError):
    """The server does not start, or does not speak MCP; the message says what happened."""


class NotPossible(RuntimeError):
    """What a start or a call would need cannot be had of this target; the message says why."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a client heard of a call. `reply` is MCP's result (`content`, `isError`, `structuredContent`), or `{"error": {code,
    message}}` from JSON-RPC's error channel; None where no answer came. `ms` is how long it took.

    `ok` is whether the server did what was asked, and `error_kind` why not, where the target knows that from more than the
    reply; None where it does not.
    """

    transport: Transport
    reply: dict[str, Any] | None
    ms: int
    ok: bool | None = None
    error_kind: str | None = None


@dataclass(frozen=True, slots=True)
class Introduced:
    """What a server says of itself: `server_info`, protocol revision, capabilities, instructions, and its tools by name."""

    server_info: dict[str, Any]
    protocol: str
    capabilities: dict[str, Any]
    instructions: str | None
    tools: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Start:
    """How a server is to begin: in which time zone its process is; for a simulated app the state that it has, the moment that it
    is, and which generation of the real server it plays.
    """

    zone: str = "UTC"
    given: State = field(default_factory=dict)
    clock: str | None = None
    generation: str | None = None


AT_REST = Start()
"""A server as it begins by itself."""


class Connected(Protocol):
    """One start of a server. `scratch` is the folder that is this start's own, as the server's clients call it."""

    @property
    def scratch(self) -> Path: ...

    @property
    def is_open(self) -> bool:
        """Whether calls can still be answered."""
        ...

    async def introduced(self) -> Introduced:
        """What the server says of itself, tools in the order of their names."""
        ...

    async def call(self, tool: str, arguments: dict[str, Any] | None) -> Heard:
        """Make a call; of arguments None none are sent."""
        ...


class Target(Protocol):
    """A server that can be started (or reached) again and again."""

    def fresh(self, start: Start = AT_REST) -> AbstractAsyncContextManager[Connected]:
        """A new start, which lasts as long as the block.

        Raises:
            Unreachable: the server does not start or answer.
            NotPossible: it cannot begin like this.
        """
        ...


def innermost(error: BaseException) -> BaseException:
    """What was raised, out of the groups that task groups put around it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
