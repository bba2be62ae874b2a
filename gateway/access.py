"""Credentials for the control plane and the pages.

On loopback without a token, every client on this machine may; otherwise only clients that send the token, or have signed in
with it, which a signed cookie records. Forms contain a token derived from the cookie, so that another site's page cannot submit
them.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from hashlib import blake2b

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from soundstage.gateway.files import made_once
from soundstage.gateway.settings import Settings, is_loopback

COOKIE = "soundstage"
_PROXIES = frozenset({"forwarded", "x-real-ip", "via"})
_KEPT_S = 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Visitor:
    """One browser. `signed_in` means that it has sent the control plane's token, `new` that its cookie must still be set."""

    nonce: str
    signed_in: bool
    new: bool = False


def credential(headers: Headers) -> tuple[str, str]:
    """Return the scheme (in lower case) and the credentials of the `Authorization` header."""
    scheme, _, shown = headers.get("authorization", "").partition(" ")
    return scheme.lower(), shown.strip()


def comes_from_here(scope: Scope) -> bool:
    """Whether a request was sent by a program on this machine directly to this gateway.

    A reverse proxy on the same machine connects from loopback for all of its clients, so requests with a proxy's headers do not
    count. Requests from a page of another origin, sent by a local browser, do not count either.
    """
    client = scope.get("client")
    if client is None or not is_loopback(client[0]):
        return False
    headers = Headers(scope=scope)
    if any(name in _PROXIES or name.startswith("x-forwarded-") for name in headers):
        return False
    origin = headers.get("origin")
    return origin is None or origin.lower() == f"{scope['scheme']}://{headers.get('host', '')}".lower()


def handle_shown(scope: Scope) -> str | None:
    """Return the handle of an agent plane request, from its path or bearer token, or None.

    Raises:
        HTTPException: 401, for a credential of another scheme.
    """
    handle: str | None = scope["path_params"].get("handle")
    if handle is not None:
        return handle
    scheme, shown = credential(Headers(scope=scope))
    if shown and scheme != "bearer":
        raise HTTPException(401, f"the scheme {scheme!r} is not known here; use Authorization: Bearer <handle>")
    return shown or None


class Access:
    """Reads and writes the cookie, and checks forms."""

    def __init__(self, settings: Settings) -> None:
        self._token = settings.token
        self._open_here = settings.open_here
        # Derived from the token, so that a cookie ends with the token and survives a restart. Without a token the gateways of a
        # data folder share a key, because a page's form may be sent to another gateway.
        key = made_once(settings.data / "forms", secrets.token_urlsafe(32)) if self._token is None else self._token
        self._key = blake2b(key.encode(), digest_size=32, person=b"soundstage web").digest()
        self._cookie = URLSafeTimedSerializer(self._key, salt="visitor")

    @property
    def needs_token(self) -> bool:
        """Whether the control plane has a token."""
        return self._token is not None

    def visitor(self, request: Request) -> Visitor:
        """Return the browser behind a request, according to its cookie; a new one without a valid cookie."""
        try:
            nonce, signed_in = self._cookie.loads(request.cookies.get(COOKIE, ""), max_age=_KEPT_S)
        except (BadSignature, ValueError, TypeError):
            return Visitor(secrets.token_urlsafe(16), False, new=True)
        return Visitor(str(nonce), bool(signed_in))

    def allowed(self, request: Request, visitor: Visitor) -> bool:
        """Whether this browser may see the pages."""
        if self._token is not None:
            return visitor.signed_in
        return self._from_here(request)

    def _from_here(self, request: Request) -> bool:
        return self._open_here and comes_from_here(request.scope)

    def reads(self, request: Request) -> bool:
        """Whether a request for a page's JSON comes from a browser that has signed in. Never True for changes."""
        return request.method in ("GET", "HEAD") and COOKIE in request.cookies and self.visitor(request).signed_in

    async def authorize(self, request: Request) -> None:
        """Accept the control plane's token, and on a loopback gateway without a token, requests without a credential.

        A browser that has signed in to the pages may read, too.

        Raises:
            HTTPException: 401; the message names the required credential.
        """
        scheme, shown = credential(request.headers)
        if self._token is not None:
            if scheme == "bearer" and self.knows(shown):
                return
            if not scheme and self.reads(request):
                return
            raise HTTPException(401, "the control plane needs its token: Authorization: Bearer <token>")
        if scheme:
            raise HTTPException(401, "this credential does not open the control plane; a session's handle never does")
        if not self._from_here(request):
            raise HTTPException(401, "without a token the control plane answers this machine alone; start with --token")

    def knows(self, token: str) -> bool:
        """Whether this is the control plane's token."""
        return self._token is not None and secrets.compare_digest(token.encode(), self._token.encode())

    def form_token(self, visitor: Visitor) -> str:
        """Return the token that a form of this browser must contain."""
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
        """Delete the browser's cookie."""
        response.delete_cookie(COOKIE, path="/")
