"""The access token of the server's requests and the merchant that it belongs to."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.errors import NO_PERMISSION, http_error, issue_error, message_error

_NOBODY: Object = {"account_number": "XZXSPECPDZHZU"}  # the account if a state names no merchant


def authorize(context: AppContext) -> None:
    """Check the token, the rate limit and the permissions, as PayPal does before it looks at a request.

    Raises:
        PaypalError: 401, 429 or 403. A rejected token is reported in `error_description`, so without details.
    """
    token = context.first("access_token") or {}
    if token.get("valid") is False:
        raise http_error(401, "Token signature verification failed")
    if token.get("ratelimited"):
        raise message_error(429)
    if token.get("no_access"):
        raise issue_error(NO_PERMISSION)


def merchant(context: AppContext) -> Object:
    """Return the merchant that the token belongs to."""
    return context.first("merchant") or _NOBODY
