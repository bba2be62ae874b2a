"""Checks that every HTTP request must pass first: Host, Origin, and the declared size."""

from __future__ import annotations

import orjson
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from soundstage.gateway.refusals import headers_of
from soundstage.gateway.settings import Settings

_REMEMBERED = 256
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


class Guard:
    """Middleware that rejects requests with a forbidden Host (421) or Origin (403), or a declared size that is too large (413).

    The checks of Host and Origin protect against DNS rebinding.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        hosts = dict.fromkeys((*_LOOPBACK_NAMES, settings.host, *settings.allowed_hosts))
        self._app = app
        self._max_body = settings.max_body
        self._allowed = ", ".join(hosts)
        self._passed: set[bytes | None] = set()
        self._security = TransportSecurityMiddleware(
            TransportSecuritySettings(
                allowed_hosts=[form for h in hosts for form in (h, f"{h}:*")],
                allowed_origins=[f"{s}://{form}" for h in hosts for s in ("http", "https") for form in (h, f"{h}:*")],
            )
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject a request, or call the application."""
        if scope["type"] == "http" and (refusal := await self._refusal(scope)) is not None:
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _refusal(self, scope: Scope) -> Response | None:
        headers = dict(scope["headers"])
        if len(headers) != len(scope["headers"]) and (twice := _twice(scope)) is not None:
            return problem(400, f"the request has more than one {twice}; send exactly one")
        host = headers.get(b"host")
        # Most requests have no Origin and a Host that has passed before.
        if b"origin" in headers or host not in self._passed:
            refused = await self._security.validate_request(Request(scope))
            if refused is not None:
                return self._not_allowed(refused.status_code, headers)
            # Starlette's check looks at names alone, and accepts any text after a colon as a port.
            if not _has_port_or_none(host or b""):
                return self._not_allowed(421, headers)
            if not _has_port_or_none(headers.get(b"origin", b"").rpartition(b"//")[2]):
                return self._not_allowed(403, headers)
            if len(self._passed) < _REMEMBERED:
                self._passed.add(host)
        declared = headers.get(b"content-length", b"")
        if declared.isdigit() and int(declared) > self._max_body:
            message = f"the body has {int(declared)} bytes; at most {self._max_body} are taken (--max-body)"
            return problem(413, message)
        return None

    def _not_allowed(self, status: int, headers: dict[bytes, bytes]) -> Response:
        header = "Host" if status == 421 else "Origin"
        value = headers.get(header.lower().encode(), b"").decode("latin-1")
        message = (
            f"the {header} {value!r} is not allowed here; allowed: {self._allowed} (soundstage serve --allow-host)"
        )
        return problem(status, message)


def _has_port_or_none(place: bytes) -> bool:
    """Whether the part after the name in `name:port` is a port or missing."""
    _, colon, port = place.rpartition(b"]")[2].partition(b":")
    return not colon or (port.isdigit() and int(port) < 65536)


def _twice(scope: Scope) -> str | None:
    """Return a routing header (Host, Origin) that occurs more than once, or None."""
    names = [name for name, _ in scope["headers"]]
    return next((name.decode().capitalize() for name in (b"host", b"origin") if names.count(name) > 1), None)


def problem(status: int, message: str) -> Response:
    """Create an error response in the control plane's format."""
    body = orjson.dumps({"error": message})
    return Response(body, status_code=status, media_type="application/json", headers=headers_of(status))
