"""Forward a request to the gateway that has its session, and return its response."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from enum import Enum, auto
from urllib.parse import urlsplit

import httpcore2
from starlette.types import Scope, Send

from soundstage.gateway.connections import Backend
from soundstage.gateway.registry.leases import Peer
from soundstage.gateway.sessions.problems import OwnedElsewhere

_PEER = b"soundstage-peer"
"""The header that names the target gateway and proves access with its key, which only the registry contains."""
VOLUME = "soundstage-volume"
"""The header that names the sender's disk: a session can move only to a gateway that reaches its context."""
LEASE = "soundstage-lease"
"""The header in which the target gateway reports why it has done nothing, or that it sends no answer."""
RELEASED, NOT_ME, DROPPED = "released", "not-me", "dropped"

_HOP_BY_HOP = frozenset(
    (b"connection", b"keep-alive", b"te", b"trailer", b"transfer-encoding", b"upgrade", b"expect", b"content-length")
)
_ADDED_BY_SERVERS = frozenset((b"date", b"server"))
_PATIENCE = {"timeout": {"connect": 2.0}}  # seconds; reading has no limit, because an answer may take long
_PATIENCE_TO_FETCH = {"timeout": {"connect": 2.0, "read": 60.0}}  # seconds; reading a large session takes several
_IDLE_S = 30.0
_MOST_CONNECTIONS = 1000
_MOST_IDLE = 64


class Outcome(Enum):
    """The result of forwarding a request."""

    ANSWERED = auto()
    RELEASED = auto()
    """The owner has released its lease and done nothing else."""
    DROPPED = auto()
    """The owner has handled the request, and the client's connection must end without an answer."""
    GONE = auto()
    """The owner's address refuses connections, or belongs to another gateway now."""
    UNREACHABLE = auto()
    """No connection could be established."""
    BROKEN = auto()
    """The connection broke before the response began: the request may have been carried out."""


_OUTCOMES = {RELEASED: Outcome.RELEASED, DROPPED: Outcome.DROPPED}


class Forwarder:
    """Connections from a gateway with contexts on `volume` to other gateways."""

    def __init__(self, volume: str) -> None:
        self._volume = volume.encode()
        self._pool = httpcore2.AsyncConnectionPool(
            max_connections=_MOST_CONNECTIONS,
            max_keepalive_connections=_MOST_IDLE,
            keepalive_expiry=_IDLE_S,
            network_backend=Backend(),
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.aclose()

    async def forward(self, to: Peer, scope: Scope, body: bytes, send: Send) -> Outcome:
        """Forward a request and stream the response to `send`."""
        if to.url is None:
            return Outcome.UNREACHABLE
        path = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        headers = [*self._headers(to, scope["headers"]), (b"content-length", b"%d" % len(body))]
        began = False
        try:
            async with self._pool.stream(
                scope["method"], _url(to.url, path), headers=headers, content=body, extensions=_PATIENCE
            ) as response:
                if (outcome := _declined(response)) is not None:
                    return outcome
                headers_sent = [(n, v) for n, v in response.headers if _end_to_end(n) or n.lower() == b"content-length"]
                began = True
                await send({"type": "http.response.start", "status": response.status, "headers": _once(headers_sent)})
                async for chunk in response.aiter_stream():
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                await send({"type": "http.response.body", "body": b""})
        except httpcore2.ConnectTimeout:
            return Outcome.UNREACHABLE
        except httpcore2.ConnectError as error:
            return Outcome.GONE if _is_refusal(error) else Outcome.UNREACHABLE
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException):
            # A response that has begun cannot be retracted. An incomplete one makes the server close the connection.
            return Outcome.ANSWERED if began else Outcome.BROKEN
        return Outcome.ANSWERED

    async def fetch(self, problem: OwnedElsewhere, path: str, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        """Send a GET with these headers of a client's request to a session's owner and return the body.

        Raises:
            OwnedElsewhere: `problem` itself, if the owner does not answer with 200.
        """
        if problem.owner.url is None:
            raise problem
        try:
            response = await self._pool.request(
                "GET",
                _url(problem.owner.url, path.encode()),
                headers=self._headers(problem.owner, headers),
                extensions=_PATIENCE_TO_FETCH,
            )
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException):
            raise problem from None
        if response.status != 200:
            raise problem
        return response.content

    def _headers(self, to: Peer, headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        forwarded = [(name, value) for name, value in headers if _end_to_end(name)]
        return [*forwarded, (_PEER, f"{to.id} {to.key}".encode()), (VOLUME.encode(), self._volume)]


def meant_for(own: Peer, scope: Scope) -> bool | None:
    """Whether a request was forwarded to this gateway; False if it was meant for another one, None if it was not forwarded."""
    for name, shown in scope["headers"]:  # ASGI header names are in lower case
        if name == _PEER:
            return secrets.compare_digest(shown, f"{own.id} {own.key}".encode())
    return None


def _url(origin: str, target: bytes) -> httpcore2.URL:
    parts = urlsplit(origin)
    return httpcore2.URL(scheme=parts.scheme.encode(), host=parts.hostname or "", port=parts.port, target=target)


def _declined(response: httpcore2.Response) -> Outcome | None:
    reason = next((v for n, v in response.headers if n.lower() == LEASE.encode()), None)
    if reason is None:
        return None
    return _OUTCOMES.get(reason.decode("latin-1"), Outcome.GONE)


def _end_to_end(name: bytes) -> bool:
    name = name.lower()
    return name not in _HOP_BY_HOP and not name.startswith(b"soundstage-")


def _once(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Remove the headers that this gateway's server adds to every response."""
    return [(n, v) for n, v in headers if n.lower() not in _ADDED_BY_SERVERS]


def _is_refusal(error: BaseException | None) -> bool:
    """Whether a connection failed because the machine is up and nothing listens on the port."""
    if error is None or isinstance(error, ConnectionRefusedError):
        return error is not None
    if isinstance(error, BaseExceptionGroup):
        return any(_is_refusal(inner) for inner in error.exceptions)
    return _is_refusal(error.__cause__ or error.__context__)
