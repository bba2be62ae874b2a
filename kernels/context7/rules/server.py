"""Which generation of the server answers, and what its API refuses before it looks at anything.

Sources: @upstash/context7-mcp 4.1.1 and 1.0.14, `lib/api.js` of both.
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError, ErrorKind

_KEY_PREFIX = "ctx7sk"


class Context7Error(AppError):
    """A failure, in the sentence that the tool answers with; none sets isError."""


class NoSuchTool(AppError):
    """A tool that the generation which answers does not have."""

    def __init__(self, name: str) -> None:
        super().__init__("unknown_tool", name)


def is_old(context: AppContext) -> bool:
    """Whether a server 1.x answers, which has other words and `get-library-docs` in place of `query-docs`."""
    return str(_setting(context, "generation") or "").startswith("1.")


def check_admitted(context: AppContext, doing: str) -> None:
    """Refuse the call as the API does where the key is wrong or too many calls were made.

    `doing` is what 1.x says it failed to do: `search libraries`, `fetch documentation`. 1.x sends no key at all.

    Raises:
        Context7Error: 401 or 429, in the words of the generation.
    """
    key = None if is_old(context) else _setting(context, "api_key")
    if key and not str(key).startswith(_KEY_PREFIX):
        raise api_failure(context, 401, doing)
    if _setting(context, "rate_limited"):
        raise api_failure(context, 429, doing)


def api_failure(context: AppContext, status: int, doing: str) -> Context7Error:
    """What the server makes of a status of the API that comes without a message of its own."""
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
