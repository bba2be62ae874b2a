"""Who may see the pages: those who may use the control plane.

On loopback without a token that is everybody on this machine; otherwise whoever has signed in with the token, which a
signed cookie remembers. Forms carry a token made from the cookie, so that no other site's page can send them.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from hashlib import blake2b

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

from soundstage.gateway.files import made_once
from soundstage.gateway.settings import Settings, is_loopback

COOKIE = "soundstage"
_KEPT_S = 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Visitor:
    """One browser. `signed_in` says that it has shown the control plane's token, `new` that its cookie is still to be set."""

    nonce: str
    signed_in: bool
    new: bool = False


class Access:
    """Reads and writes the cookie, and checks forms."""

    def __init__(self, settings: Settings) -> None:
        self._token = settings.token
        self._loopback = settings.loopback
        # Made from the token, so that a cookie ends with it and outlives a restart. Without one the gateways of a data folder
        # share a key: a page's form may be sent to another of them.
        key = made_once(settings.data / "forms", secrets.token_urlsafe(32)) if self._token is None else self._token
        self._key = blake2b(key.encode(), digest_size=32, person=b"soundstage web").digest()
        self._cookie = URLSafeTimedSerializer(self._key, salt="visitor")

    @property
    def needs_token(self) -> bool:
        return self._token is not None

    def visitor(self, request: Request) -> Visitor:
        """The browser behind a request, as its cookie tells; a new one where it has none that holds."""
        try:
            nonce, signed_in = self._cookie.loads(request.cookies.get(COOKIE, ""), max_age=_KEPT_S)
        except (BadSignature, ValueError, TypeError):
            return Visitor(secrets.token_urlsafe(16), False, new=True)
        return Visitor(str(nonce), bool(signed_in))

    def allowed(self, request: Request, visitor: Visitor) -> bool:
        """Whether this browser may see the pages."""
        if self._token is not None:
            return visitor.signed_in
        return self._loopback and request.client is not None and is_loopback(request.client.host)

    def reads(self, request: Request) -> bool:
        """Whether a request for the JSON behind a page comes from a browser that has signed in. Never for changes."""
        return request.method in ("GET", "HEAD") and COOKIE in request.cookies and self.visitor(request).signed_in

    def knows(self, token: str) -> bool:
        """Whether this is the control plane's token."""
        return self._token is not None and secrets.compare_digest(token.encode(), self._token.encode())

    def form_token(self, visitor: Visitor) -> str:
        """What a form of this browser has to carry."""
        return blake2b(visitor.nonce.encode(), key=self._key, digest_size=24).hexdigest()

    def remember(self, request: Request, response: Response, visitor: Visitor) -> None:
        """Set the cookie."""
        response.set_cookie(
            COOKIE,
            self._cookie.dumps([visitor.nonce, visitor.signed_in]),
            max_age=_KEPT_S,
            path="/",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )

    def forget(self, response: Response) -> None:
        response.delete_cookie(COOKIE, path="/")
