"""The API's access checks."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.firecrawl.rules.errors import Upstream


def authenticate(context: AppContext) -> None:
    """Check the API key.

    Raises:
        Upstream: 401 for an invalid key.
    """
    if (context.first("api_key") or {}).get("valid") is False:
        raise Upstream(401, "Unauthorized: Invalid token")


def admit(context: AppContext) -> None:
    """Check whether the account may start an operation.

    Raises:
        Upstream: 401 for an invalid key, 429 after too many requests, 402 without credits.
    """
    authenticate(context)
    key = context.first("api_key") or {}
    if key.get("ratelimited"):
        raise Upstream(429, "Request rate limit exceeded. Please wait and try again later.")
    if key.get("credits") is not None and key["credits"] <= 0:
        raise Upstream(402, "Payment required to access this resource.")
