"""HTTP to upstreams: pooled connections, and checks of forbidden addresses.

Every connection is checked when it is made, with the address from DNS: neither a name that resolves differently later nor a
redirect leads to another address.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from urllib.parse import urljoin, urlsplit

import httpcore2

from soundstage.gateway.connections import Backend

CONNECT_TIMEOUT_S = 10.0
_KEEP_IDLE_S = 60.0
_MAX_CONNECTIONS = 1000
_REDIRECTS = 5
_NAT64 = ipaddress.ip_network("64:ff9b::/96")

Header = tuple[bytes, bytes]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class AddressNotAllowed(ConnectionError):
    """The address is in a private or link-local range."""


class UnfollowedRedirect(ConnectionError):
    """A redirect that leaves the upstream's origin or changes the request."""


class Network:
    """The connections of one gateway to its upstreams."""

    def __init__(self, *, allow_private: bool) -> None:
        self._backend = _CheckedBackend(allow_private)
        self._plain = self._new_pool(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        self._secure: httpcore2.AsyncConnectionPool | None = None  # created on demand: loading the CAs takes 20 ms

    async def check(self, url: str) -> None:
        """Check that an address is allowed, if its name can be resolved now.

        Raises:
            AddressNotAllowed: it is not.
        """
        parts = urlsplit(url)
        with suppress(httpcore2.ConnectError):
            await self._backend.allowed(parts.hostname or "", parts.port or 443)

    async def close(self) -> None:
        """Close all connections."""
        await self._plain.aclose()
        if self._secure is not None:
            await self._secure.aclose()

    @asynccontextmanager
    async def stream(
        self, method: str, url: str, headers: Sequence[Header], body: bytes | None = None, *, silence_s: float | None
    ) -> AsyncIterator[httpcore2.Response]:
        """Send a request and stream the response. `silence_s` is the maximum time without data (None: unlimited).

        Redirects are followed within the origin if they preserve method and body.

        Raises:
            httpcore2.NetworkError, httpcore2.TimeoutException, httpcore2.ProtocolError: the connection fails.
            AddressNotAllowed, UnfollowedRedirect: see there.
        """
        timeouts = {"connect": CONNECT_TIMEOUT_S, "read": silence_s, "write": silence_s, "pool": CONNECT_TIMEOUT_S}
        for _ in range(_REDIRECTS + 1):
            parts = urlsplit(url)
            sent = [(b"host", parts.netloc.encode()), *headers]
            if body is not None:
                sent.append((b"content-length", b"%d" % len(body)))
            pool = self._pool(parts.scheme)
            extensions = {"timeout": timeouts}
            async with pool.stream(method, url, headers=sent, content=body, extensions=extensions) as response:
                if response.status not in (301, 302, 303, 307, 308):
                    yield response
                    return
                url = _redirected(method, url, response)
        raise UnfollowedRedirect(f"more than {_REDIRECTS} redirects")

    def _pool(self, scheme: str) -> httpcore2.AsyncConnectionPool:
        if scheme == "http":
            return self._plain
        if self._secure is None:
            self._secure = self._new_pool(ssl.create_default_context())
        return self._secure

    def _new_pool(self, context: ssl.SSLContext) -> httpcore2.AsyncConnectionPool:
        return httpcore2.AsyncConnectionPool(
            ssl_context=context,
            max_connections=_MAX_CONNECTIONS,
            keepalive_expiry=_KEEP_IDLE_S,
            network_backend=self._backend,
        )


def header_of(response: httpcore2.Response, name: bytes) -> str | None:
    """Return a response header's value. `name` is in lower case."""
    return next((v.decode("latin-1") for k, v in response.headers if k.lower() == name), None)


def _redirected(method: str, url: str, response: httpcore2.Response) -> str:
    target = urljoin(url, header_of(response, b"location") or "")
    old, new = urlsplit(url), urlsplit(target)
    keeps_request = response.status in (307, 308) or method == "GET"
    if keeps_request and target != url and (old.scheme, old.netloc) == (new.scheme, new.netloc):
        return target
    shown = new._replace(query="", fragment="", netloc=new.netloc.rpartition("@")[2]).geturl()
    raise UnfollowedRedirect(f"a redirect ({response.status}) to {shown} is not followed; declare that address itself")


class _CheckedBackend(httpcore2.AsyncNetworkBackend):
    """Resolves names itself and connects only to addresses that it has checked."""

    def __init__(self, allow_private: bool) -> None:
        self._allow_private = allow_private
        self._inner = Backend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 the interface has it
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        addresses = await self.allowed(host, port)
        failure: Exception = httpcore2.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure

    async def allowed(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host after checking all of them."""
        addresses = await _resolve(host, port)
        for address in addresses:
            if not self._allow_private and not is_allowed(ipaddress.ip_address(address)):
                where = f"{host} is {address}, which" if host != address else host
                raise AddressNotAllowed(
                    f"{where} is in a private or link-local range; soundstage serve --allow-private lets it through"
                )
        return addresses

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def _resolve(host: str, port: int) -> list[str]:
    try:
        resolved = await asyncio.get_running_loop().getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        raise httpcore2.ConnectError(f"{host} cannot be resolved ({error})") from None
    return list(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in resolved))


def is_allowed(address: Address) -> bool:
    """Whether an upstream may have this address by default: loopback, or the public internet."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_allowed(inner)
    return address.is_loopback or (address.is_global and not address.is_multicast)
