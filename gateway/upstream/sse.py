"""Upstreams over the older HTTP transport: one event stream down, a POST for each message up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from urllib.parse import urljoin, urlsplit

import httpcore2

from soundstage.gateway.log import log
from soundstage.gateway.upstream.config import Declaration, UrlServer
from soundstage.gateway.upstream.messages import EventReader, Message, UpstreamFailure, parse_message
from soundstage.gateway.upstream.network import CONNECT_TIMEOUT_S, Header, Network


class SsePipe:
    """One connection. `on_message` receives the server's messages, `on_end` (once) the reason why there are no more."""

    def __init__(
        self,
        declaration: Declaration,
        network: Network,
        on_message: Callable[[Message], None],
        on_end: Callable[[str], None],
    ) -> None:
        assert isinstance(declaration.server, UrlServer)
        self._declaration = declaration
        self._server = declaration.server
        self._network = network
        self._on_message = on_message
        self._on_end = on_end
        self._endpoint: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None
        self._closing = False

    async def open(self) -> None:
        """Connect.

        Raises:
            UpstreamFailure: the server does not follow this transport.
        """
        self._task = asyncio.create_task(self._read())
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await asyncio.shield(self._endpoint)
        except TimeoutError:
            await self.close()
            raise UpstreamFailure(f"the upstream {self._declaration.name!r} opened no event stream") from None

    async def send(self, data: bytes) -> None:
        """Post one message.

        Raises:
            ConnectionError: the server does not accept it.
        """
        headers = [*_headers(self._server), (b"content-type", b"application/json")]
        silence_s = self._declaration.timeout_s
        try:
            async with self._network.stream(
                "POST", self._endpoint.result(), headers, data, silence_s=silence_s
            ) as response:
                if response.status >= 300:
                    raise ConnectionError(f"a message was answered with HTTP {response.status}")
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException) as error:
            raise ConnectionError(str(error) or type(error).__name__) from None

    def notes(self) -> str:
        """Return no notes: an HTTP server's log is not visible here."""
        return ""

    async def close(self) -> None:
        """Close the stream."""
        self._closing = True
        if self._task is not None:
            self._task.cancel()

    async def _read(self) -> None:
        reason = "closed its event stream"
        try:
            headers = [*_headers(self._server), (b"accept", b"text/event-stream")]
            async with self._network.stream("GET", self._server.url, headers, silence_s=None) as response:
                if response.status != 200:
                    reason = f"answered HTTP {response.status}"
                    return
                reader = EventReader()
                async for chunk in response.aiter_stream():
                    for event in reader.feed(chunk):
                        if event.name == "endpoint":
                            self._connected(event.data.decode("utf-8", "replace"))
                        elif event.data:
                            self._take(event.data)
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException, OSError) as error:
            reason = f"cannot be reached ({error or type(error).__name__})"
        except ValueError as error:
            reason = f"answered garbage ({error})"
        finally:
            if not self._endpoint.done():
                public = f"the upstream {self._declaration.name!r} opened no event stream"
                reason = self._declaration.redact(reason)
                failure = UpstreamFailure(f"the upstream {self._declaration.name!r} {reason}", public=public)
                self._endpoint.set_exception(failure)
                self._endpoint.exception()  # perhaps no task waits any more; mark the exception as retrieved
            elif not self._closing:
                self._on_end(self._declaration.redact(reason))

    def _connected(self, given: str) -> None:
        endpoint = urljoin(self._server.url, given)
        mine, theirs = urlsplit(self._server.url), urlsplit(endpoint)
        if (mine.scheme, mine.netloc) != (theirs.scheme, theirs.netloc):
            raise ValueError("its endpoint for messages is on another origin")
        if not self._endpoint.done():
            self._endpoint.set_result(endpoint)

    def _take(self, data: bytes) -> None:
        message = parse_message(data)
        if message is None:
            log.warning("an upstream sent an event that is not JSON-RPC", upstream=self._declaration.name)
        else:
            self._on_message(message)


def _headers(server: UrlServer) -> list[Header]:
    return [(name.encode(), value.encode()) for name, value in server.headers.items()]
