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


class BodyBudget:
    """The memory budget for the bodies of this process, by client.

    `total` is its size in bytes; a client's share is a quarter. One body of the `largest` size always fits.
    """

    def __init__(self, total: int, *, largest: int) -> None:
        self._total = max(total, largest)
        self._share = max(total // _SHARES, largest)
        self._reserved: Counter[str] = Counter()
        self.taken = 0

    def reserve(self, client: str, size: int) -> str | None:
        """Reserve `size` bytes. Returns an error message if the budget is exhausted."""
        if self._reserved[client] + size > self._share:
            return f"the bodies that you are sending have more than {self._share} bytes together"
        if self.taken + size > self._total:
            return f"the bodies that are being sent have more than {self._total} bytes together"
        self._reserved[client] += size
        self.taken += size
        return None

    def release(self, client: str, size: int) -> None:
        """Return `size` reserved bytes of a client to the budget."""
        self.taken -= size
        self._reserved[client] -= size
        if not self._reserved[client]:
            del self._reserved[client]


class BodyBuffer:
    """Middleware that passes each request's body in one piece.

    A body larger than `largest` is answered with 413, and one that exceeds the budget with 503. `client_of` returns the client
    whose share it uses. A body that arrives in one piece uses no share: a connection buffers no more of it than of any request.
    """

    def __init__(
        self,
        app: ASGIApp,
        budget: BodyBudget,
        *,
        largest: int,
        client_of: Callable[[Scope], str],
        refuse: Callable[[int, str], Response],
    ) -> None:
        self._app = app
        self._budget = budget
        self._largest = largest
        self._client_of = client_of
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body completely, then call the application."""
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
            await self._app(scope, replay_message(message, receive), send)

    async def _in_pieces(self, message: Message, scope: Scope, receive: Receive, send: Send) -> None:
        client, taken, whole = self._client_of(scope), 0, BytesIO()
        try:
            while True:
                piece = message.get("body", b"")
                if taken + len(piece) > self._largest:
                    await self._too_large(scope, receive, send)
                    return
                if (full := self._budget.reserve(client, len(piece))) is not None:
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
            await self._app(scope, replay_message(message, receive), send)
        finally:
            self._budget.release(client, taken)

    async def _too_large(self, scope: Scope, receive: Receive, send: Send) -> None:
        text = f"the body is too large; at most {self._largest} bytes are taken (--max-body)"
        await self._refuse(413, text)(scope, receive, send)


def replay_message(message: Message, receive: Receive) -> Receive:
    """Return a receive function that repeats a message before the remaining ones."""
    first: Message | None = message

    async def next_message() -> Message:
        nonlocal first
        if first is None:
            return await receive()
        given, first = first, None
        return given

    return next_message
