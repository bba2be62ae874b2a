"""The delivery of an answer to the client, with the effects of faults on it.

ASGI cannot break a connection: an application that sends no response is answered with 500. The server that accepts the
connections provides this ability as an extension of the scope.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from starlette.types import Message, Receive, Scope, Send

from soundstage.contexts.engine.clock import Wait

T = TypeVar("T")

BREAK_OFF = "soundstage.break_off"
"""The extension: its `close` is a function without arguments that closes the request's connection."""


class Answer(Protocol):
    """The answer to a call from any source: an app (`soundstage.servers.reply`), the search, or an upstream."""

    @property
    def ok(self) -> bool:
        """Whether the app did what was asked."""

    @property
    def is_error(self) -> bool | None:
        """The MCP result's `isError`; None if the result has none."""

    @property
    def error_kind(self) -> str | None:
        """The kind of error, or None."""

    def wire(self) -> dict[str, Any]:
        """Return the answer as an MCP result, or as {"error": …}."""


@dataclass(slots=True)
class Delivery:
    """The delivery of one call, from the app's answer to the client.

    `wait` is how long a client waits for the answer, if that is reported. `notice` is sent in addition to a listening client.
    `dropped`: nothing is sent, and the connection ends. `done` overrides whether the app did the requested action, if the
    answer does not show it. `detail` is the fault's own information, `record` the journal's record of the call's faults, and
    `counters` are the schedule's new counters.
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
        """Whether the app did the requested action."""
        return self.answer.ok if self.done is None else self.done

    @property
    def reply(self) -> dict[str, Any] | None:
        """The reply to the client; None if the connection breaks instead."""
        return None if self.dropped else self.answer.wire()


class ClientGone(Exception):
    """The client disconnected before its answer was ready."""


async def unless_gone(receive: Receive, answer: Coroutine[Any, Any, T]) -> T:
    """Answer a request without a body; cancel the work if the client disconnects.

    Raises:
        ClientGone: the client has disconnected.
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


async def unless_ended(ended: Awaitable[None], serve: Callable[[Send], Awaitable[None]], send: Send) -> None:
    """Serve a stream, and complete its response if `ended` raises an exception first.

    Raises:
        Exception: that of `ended`, if it is raised before the response began.
    """
    started = completed = False

    async def noting(message: Message) -> None:
        nonlocal started, completed
        started = True
        completed = message["type"] == "http.response.body" and not message.get("more_body", False)
        await send(message)

    serving, ending = asyncio.ensure_future(serve(noting)), asyncio.ensure_future(ended)
    try:
        await asyncio.wait((serving, ending), return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()
            return
        serving.cancel()
        await asyncio.wait((serving,))
        why = ending.exception()
        if why is not None and not started:
            raise why
        if not completed:
            await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        ending.cancel()
        serving.cancel()


async def break_off(scope: Scope, receive: Receive) -> None:
    """Close the connection of a request whose response has not begun. The client receives no byte."""
    scope["extensions"][BREAK_OFF]["close"]()
    await _gone(receive)
