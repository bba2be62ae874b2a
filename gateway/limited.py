"""Requests of those who ask too often are refused."""

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
from soundstage.gateway.settings import DEFAULT_SESSION, Settings

_STATIC = "/static/"


class RateLimited:
    """An application that answers each of those who ask so many times a second, and the others with 429.

    A request that another gateway has passed on was counted there.
    """

    def __init__(
        self,
        app: ASGIApp,
        per_s: float,
        *,
        who: Callable[[Scope], str | None],
        own: Peer,
        refuse: Callable[[int, str], Response],
    ) -> None:
        self._app = app
        self._rates = Rates(per_s)
        self._allowed = f"{per_s:g} requests a second"
        self._who = who
        self._own = own
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (wait := self._wait(scope)) > 0:
            metrics.REFUSED.labels("rate").inc()
            whole = math.ceil(wait)
            text = f"too many requests: {self._allowed} are allowed here (--max-rate); try again in {whole} s"
            response = self._refuse(429, text)
            response.headers["Retry-After"] = str(whole)
            await response(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _wait(self, scope: Scope) -> float:
        who = self._who(scope)
        if who is None or meant_for(self._own, scope) is True:
            return 0.0
        return self._rates.take(who, time.monotonic())


def by_handle(scope: Scope) -> str:
    """Who asks on the agent plane: the session that the request names."""
    try:
        return handle_shown(scope) or DEFAULT_SESSION
    except HTTPException:  # a credential that opens nothing, which is told where it is tried
        return credential(Headers(scope=scope))[1]


def by_token(settings: Settings) -> Callable[[Scope], str | None]:
    """Who asks on the control plane: whoever has the token, all together; others by where they come from.

    So strangers, whom it refuses anyway, use up nobody's share but their own. What pages are made of is not counted.
    """
    token = None if settings.token is None else settings.token.encode()

    def who(scope: Scope) -> str | None:
        if scope["path"].startswith(_STATIC):
            return None
        if token is not None:
            shown = credential(Headers(scope=scope))[1]
            if secrets.compare_digest(shown.encode(), token):
                return "token"
        client = scope.get("client")
        return "from " + (client[0] if client else "")

    return who
