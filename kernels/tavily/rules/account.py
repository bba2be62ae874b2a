"""The API's access checks: first the key, then the quota."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.tavily.rules.errors import Refused, Thrown

_STATUS = {"plan_limit": 432, "paygo_limit": 433, "server_error": 500}


def admit(context: AppContext) -> None:
    """Check whether the API serves the caller.

    Raises:
        Thrown: The key is invalid or rate-limited.
        Refused: The plan or budget is used up, or the API is down.
    """
    if (context.first("api_key") or {}).get("valid") is False:
        raise Thrown("unauthorized", "Invalid API key")
    state = (context.first("quota") or {}).get("state")
    if state == "rate_limited":
        raise Thrown("rate_limited", "Usage limit exceeded")
    if state in _STATUS:
        raise Refused(_STATUS[state])
