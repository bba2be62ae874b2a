"""The access token with which the server asks PayPal, and the merchant whose it is."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.errors import NO_PERMISSION, http_error, refused, refused_without_details

_NOBODY: Object = {"account_number": "XZXSPECPDZHZU"}  # a state that names no merchant is of this account


def authorize(context: AppContext) -> None:
    """What PayPal looks at before the request itself: the token, how much was asked already, what it may do.

    Raises:
        PaypalError: 401, 429 or 403. A rejected token is told by `error_description`, so without details.
    """
    token = context.first("access_token") or {}
    if token.get("valid") is False:
        raise http_error(401, "Token signature verification failed")
    if token.get("ratelimited"):
        raise refused_without_details(429)
    if token.get("no_access"):
        raise refused(NO_PERMISSION)


def merchant(context: AppContext) -> Object:
    """The merchant whose token it is."""
    return context.first("merchant") or _NOBODY
