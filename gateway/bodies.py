"""Request bodies: read completely before the application sees them, stored once, and within a memory budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from io import BytesIO

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from soundstage.gateway import metrics

_SHARES = 4
"""One client may use one part in four of the budget, so that others always have three quarters of it."""


class Room:
    """The memory budget for the bodies of this process, by client.

    `in_all` is its size in bytes; a client's share is a quarter. There is always room for one body of the `largest` size.
    """

    def __init__(self, in_all: int, *, largest: int) -> None:
        self._in_all = max(in_all, largest)
        self._each = max(in_all // _SHARES, largest)
        self._held: Counter[str] = Counter()
        self.taken = 0

    def take(self, who: str, size: int) -> str | None:
        """Reserve `size` bytes. Returns an error message if the budget is exhausted."""
        if self._held[who] + size > self._each:
            return f"the bodies that you are sending have more than {self._each} bytes together"
        if self.taken + size > self._in_all:
            return f"the bodies that are being sent have more than {self._in_all} bytes together"
        self._held[who] += size
        self.taken += size
        return None

    def give_back(self, who: str, size: int) -> None:
        self.taken -= size
        self._held[who] -= size
        if not self._held[who]:
            del self._held[who]


class WholeBodies:
    """Middleware that passes each request's body in one piece.

    A body larger than `largest` is answered with 413, and one that exceeds the budget with 503. `who` returns the client whose
    share it uses. A body that arrives in one piece uses no share: a connection buffers no more of it than of any request.
    """

    def __init__(
        self,
        app: ASGIApp,
        room: Room,
        *,
        largest: int,
        who: Callable[[Scope], str],
        refuse: Callable[[int, str], Response],
    ) -> None:
        self._app = app
        self._room = room
        self._largest = largest
        self._who = who
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        message = await receive()
        if message["type"] != "http.request":
            return  # the client has disconnected
        if message.get("more_body", False):
            await self._in_pieces(message, scope, receive, send)
        elif len(message.get("body", b"")) > self._largest:
            await self._too_large(scope, receive, send)
        else:
            await self._app(scope, again(message, receive), send)

    async def _in_pieces(self, message: Message, scope: Scope, receive: Receive, send: Send) -> None:
        who, taken, whole = self._who(scope), 0, BytesIO()
        try:
            while True:
                piece = message.get("body", b"")
                if taken + len(piece) > self._largest:
                    await self._too_large(scope, receive, send)
                    return
                if (full := self._room.take(who, len(piece))) is not None:
                    metrics.REFUSED.labels("bodies").inc()
                    await self._refuse(503, f"{full} (--max-in-flight); send it again")(scope, receive, send)
                    return
                taken += len(piece)
                whole.write(piece)
                if not message.get("more_body", False):
                    break
                message = await receive()
                if message["type"] != "http.request":
                    return
            message = {"type": "http.request", "body": whole.getvalue(), "more_body": False}
            del whole, piece
            await self._app(scope, again(message, receive), send)
        finally:
            self._room.give_back(who, taken)

    async def _too_large(self, scope: Scope, receive: Receive, send: Send) -> None:
        text = f"the body is too large; at most {self._largest} bytes are taken (--max-body)"
        await self._refuse(413, text)(scope, receive, send)


def again(message: Message, receive: Receive) -> Receive:
    """Return a receive function that repeats a message before the remaining ones."""
    first: Message | None = message

    async def next_message() -> Message:
        nonlocal first
        if first is None:
            return await receive()
        given, first = first, None
        return given

    return next_message
