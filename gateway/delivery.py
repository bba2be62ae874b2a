"""An answer on its way to the client, and what a fault has made of it and of the way.

Breaking a connection off is not in ASGI's power: what begins no answer is answered with 500. The server that accepts the
connections lends that power as an extension of the scope.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from starlette.types import Receive, Scope

from soundstage.contexts.engine.clock import Wait

T = TypeVar("T")

BREAK_OFF = "soundstage.break_off"
"""The extension: its `close` is a function without arguments that closes the request's connection."""


class Answer(Protocol):
    """What answers a call, whoever gave it: an app (`soundstage.servers.reply`), the search, a real server."""

    @property
    def ok(self) -> bool: ...

    @property
    def is_error(self) -> bool | None: ...

    @property
    def error_kind(self) -> str | None: ...

    def wire(self) -> dict[str, Any]: ...


@dataclass(slots=True)
class Delivery:
    """What becomes of one call, from the app's answer to the client.

    `wait` is how long a client waits for the answer, where that is worth telling. `notice` is told beside it to a client that
    listens. `dropped`: nothing is sent, and the connection ends. `done` overrides whether the app did what was asked, where
    the answer does not tell. `detail` is what the fault tells about itself, `record` what the journal keeps of all faults of
    the call, and `counters` what the schedule has to remember.
    """

    answer: Answer
    wait: Wait | None = None
    notice: str | None = None
    dropped: bool = False
    done: bool | None = None
    detail: dict[str, Any] | None = None
    record: str | None = None
    counters: Mapping[str, int] | None = None

    @property
    def ok(self) -> bool:
        """Whether the app did what was asked."""
        return self.answer.ok if self.done is None else self.done

    @property
    def reply(self) -> dict[str, Any] | None:
        """What the client gets; None when the connection breaks instead."""
        return None if self.dropped else self.answer.wire()


class ClientGone(Exception):
    """The client went away before its answer was there."""


async def unless_gone(receive: Receive, answer: Coroutine[Any, Any, T]) -> T:
    """What is answered to a request without a body; the work on it ends when the client goes away.

    Raises:
        ClientGone: then.
    """
    answering, gone = asyncio.ensure_future(answer), asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait((answering, gone), return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            raise ClientGone
        return answering.result()
    finally:
        gone.cancel()
        answering.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def break_off(scope: Scope, receive: Receive) -> None:
    """End the connection of a request to which no answer has begun. The client gets not a byte."""
    scope["extensions"][BREAK_OFF]["close"]()
    await _gone(receive)
