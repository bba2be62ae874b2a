"""The server's generation, and the API's access checks.

Sources: @upstash/context7-mcp 4.1.1 and 1.0.14, `lib/api.js` of both.
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError, ErrorKind

_KEY_PREFIX = "ctx7sk"


class Context7Error(AppError):
    """A failure, with the sentence that the tool returns; none sets isError."""


class NoSuchTool(AppError):
    """The simulated generation does not have this tool."""

    def __init__(self, name: str) -> None:
        """Create the error."""
        super().__init__("unknown_tool", name)


def is_old(context: AppContext) -> bool:
    """Return whether the server is version 1.x, which has different messages and `get-library-docs` instead of `query-docs`."""
    return str(_setting(context, "generation") or "").startswith("1.")


def check_admitted(context: AppContext, doing: str) -> None:
    """Reject the call like the API if the key is invalid or there were too many calls.

    `doing` names the operation in messages of 1.x: `search libraries` or `fetch documentation`. Version 1.x sends no key.

    Raises:
        Context7Error: 401 or 429, in the words of the generation.
    """
    key = None if is_old(context) else _setting(context, "api_key")
    if key and not str(key).startswith(_KEY_PREFIX):
        raise api_failure(context, 401, doing)
    if _setting(context, "rate_limited"):
        raise api_failure(context, 429, doing)


def api_failure(context: AppContext, status: int, doing: str) -> Context7Error:
    """Return the server's error for a status without a message from the API."""
    words = _old_words(status, doing) if is_old(context) else _words(context, status)
    return Context7Error(_KINDS.get(status, "unavailable"), words)


_KINDS: dict[int, ErrorKind] = {401: "unauthorized", 404: "not_found", 429: "rate_limited", 500: "internal"}


def _words(context: AppContext, status: int) -> str:
    match status:
        case 429 if _setting(context, "api_key"):
            return "Rate limited or quota exceeded. Upgrade your plan at https://context7.com/plans for higher limits."
        case 429:
            return (
                "Rate limited or quota exceeded. Create a free API key at https://context7.com/dashboard "
                "for higher limits."
            )
        case 404:
            return "The library you are trying to access does not exist. Please try with a different library ID."
        case 401:
            return "Invalid API key. Please check your API key. API keys should start with 'ctx7sk' prefix."
        case _:
            return f"Request failed with status {status}. Please try again later."


def _old_words(status: int, doing: str) -> str:
    if status == 429:
        return "Rate limited due to too many requests. Please try again later."
    return f"Failed to {doing}. Please try again later. Error code: {status}"


def _setting(context: AppContext, name: str) -> Any:
    row = context.get("server", name)
    return None if row is None else row.get("value")
