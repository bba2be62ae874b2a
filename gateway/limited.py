"""Rate limiting of requests."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from soundstage.gateway import metrics
from soundstage.gateway.access import credential, handle_shown
from soundstage.gateway.cluster.forward import meant_for
from soundstage.gateway.rate import Rates
from soundstage.gateway.registry.leases import Peer
from soundstage.gateway.sessions.problems import ExpiredSession
from soundstage.gateway.settings import DEFAULT_SESSION, Settings

_STATIC = "/static/"


class RateLimited:
    """Middleware that answers a number of requests per second for each client, and the others with 429.

    A request that another gateway has forwarded was counted there, and the parts of web pages are not counted.
    """

    def __init__(
        self,
        app: ASGIApp,
        per_s: float,
        *,
        client_of: Callable[[Scope], str],
        own: Peer,
        refuse: Callable[[int, str], Response],
    ) -> None:
        self._app = app
        self._rates = Rates(per_s)
        self._allowed = f"{per_s:g} requests a second"
        self._client_of = client_of
        self._own = own
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application, or answer 429 if the client exceeds its rate."""
        if scope["type"] == "http" and (wait := self._wait(scope)) > 0:
            metrics.REFUSED.labels("rate").inc()
            seconds = math.ceil(wait)
            text = f"too many requests: {self._allowed} are allowed here (--max-rate); try again in {seconds} s"
            response = self._refuse(429, text)
            response.headers["Retry-After"] = str(seconds)
            await response(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _wait(self, scope: Scope) -> float:
        if scope["path"].startswith(_STATIC) or meant_for(self._own, scope) is True:
            return 0.0
        return self._rates.take(self._client_of(scope), time.monotonic())


def by_handle(scope: Scope) -> str:
    """Return the client of an agent plane request: the session that it names."""
    try:
        return handle_shown(scope) or DEFAULT_SESSION
    except HTTPException:  # an invalid credential, which is reported where it is checked
        return credential(Headers(scope=scope))[1]


def by_open_session(live: Callable[[str], object | None]) -> Callable[[Scope], str]:
    """Return a function that identifies the client whose share an agent's request body uses.

    It is the request's handle if `live` finds its session open here, otherwise the client's address. Handles can be invented,
    and each would have a separate share.
    """

    def client_of(scope: Scope) -> str:
        try:
            handle = handle_shown(scope)
            if handle is not None and live(handle) is not None:
                return handle
        except (HTTPException, ExpiredSession):
            pass
        return _place(scope)

    return client_of


def by_token(settings: Settings) -> Callable[[Scope], str]:
    """Return a function that identifies the client of a control plane request.

    All clients with the token are one client; others are identified by their address, so strangers, which the plane rejects
    anyway, use up only their own limit.
    """
    token = None if settings.token is None else settings.token.encode()

    def client_of(scope: Scope) -> str:
        if token is not None:
            shown = credential(Headers(scope=scope))[1]
            if secrets.compare_digest(shown.encode(), token):
                return "token"
        return _place(scope)

    return client_of


def _place(scope: Scope) -> str:
    """Return a request's origin: the peer's address; behind a proxy, the proxy's address or the one that it reports."""
    client = scope.get("client")
    return "from " + (client[0] if client else "")
