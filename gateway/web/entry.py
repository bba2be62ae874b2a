"""Sign in with the control plane's token, and sign out."""

from __future__ import annotations

import secrets

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from soundstage.gateway.access import Visitor
from soundstage.gateway.web.page import Web


def routes(web: Web) -> list[BaseRoute]:
    """Return the pages for signing in and out."""

    async def show(request: Request) -> Response:
        return _form(request, 200, None)

    async def sign_in(request: Request) -> Response:
        form = await request.form()
        if not web.access.knows(str(form.get("token", ""))):
            return _form(request, 401, "This is not the control plane's token.")
        response = RedirectResponse(_inside(str(form.get("next", ""))), 303)
        # A new nonce, which invalidates form tokens from before the sign-in.
        web.access.remember(request, response, Visitor(secrets.token_urlsafe(16), True))
        return response

    async def sign_out(request: Request) -> Response:
        response = RedirectResponse("/login", 303)
        web.access.forget(response)
        return response

    def _form(request: Request, status: int, wrong: str | None) -> Response:
        place = request.query_params.get("next", "")
        return web.page(
            request, "login.html.jinja", title="Sign in", twin=None, status=status, wrong=wrong, next=_inside(place)
        )

    return [
        web.unguarded("/login", show),
        web.unguarded("/login", sign_in, "POST"),
        web.unguarded("/logout", sign_out, "POST"),
    ]


def _inside(place: str) -> str:
    """Return a path on this server to continue at; anything else leads to the sessions."""
    plain = place.startswith("/") and not place.startswith(("//", "/\\")) and place.isprintable()
    return place if plain else "/sessions"
