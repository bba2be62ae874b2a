"""Connections to other servers."""

from __future__ import annotations

from collections.abc import Iterable

import httpcore2


class Backend(httpcore2.AnyIOBackend):
    """httpcore's, with a connection that the other side ends as it begins told as one that did not come about.

    A server that is killed leaves such connections: the kernel had taken them. Nothing has been sent on one, and on uvloop its
    socket is gone, which httpcore looks at next: that would be an `AttributeError`.
    """

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 the interface has it
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        stream = await super().connect_tcp(host, port, timeout, local_address, socket_options)
        try:
            stream.get_extra_info("ssl_object")
        except AttributeError:
            await stream.aclose()
            raise httpcore2.ConnectError(f"{host} port {port} ended the connection as it began") from None
        return stream
