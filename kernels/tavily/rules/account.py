"""Whether the API serves its caller at all: the key first, then what is used up."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.tavily.rules.errors import Refused, Thrown

_STATUS = {"plan_limit": 432, "paygo_limit": 433, "server_error": 500}


def admit(context: AppContext) -> None:
    """Let a call through.

    Raises:
        Thrown: for a bad key and a rate limit.
        Refused: for a plan or a budget that is used up, and for an API that is broken.
    """
    if (context.first("api_key") or {}).get("valid") is False:
        raise Thrown("unauthorized", "Invalid API key")
    state = (context.first("quota") or {}).get("state")
    if state == "rate_limited":
        raise Thrown("rate_limited", "Usage limit exceeded")
    if state in _STATUS:
        raise Refused(_STATUS[state])
