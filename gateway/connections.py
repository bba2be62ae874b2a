"""Connections to other servers."""

from __future__ import annotations

from collections.abc import Iterable

import httpcore2


class Backend(httpcore2.AnyIOBackend):
    """httpcore's backend, with a connection that the peer closes immediately reported as a failed connection.

    A killed server leaves such connections, because its kernel had accepted them. Nothing has been sent on them, and on uvloop
    the socket is gone when httpcore accesses it, which would be an `AttributeError`.
    """

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 the interface has it
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Open a connection. The stream is closed if the client disconnected meanwhile."""
        stream = await super().connect_tcp(host, port, timeout, local_address, socket_options)
        try:
            stream.get_extra_info("ssl_object")
        except AttributeError:
            await stream.aclose()
            raise httpcore2.ConnectError(f"{host} port {port} ended the connection as it began") from None
        return stream
