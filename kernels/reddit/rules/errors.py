"""Errors: Reddit's, as the MCP server's client words them, and the server's own.

If a client's request fails, the tool puts its own sentence in front ("Failed to get post: …"), which the dialect adds.
Source: `src/client/errors.ts` in https://github.com/jordanburke/reddit-mcp-server; Reddit's sentences are those of
`r2/r2/lib/errors.py` in https://github.com/reddit-archive/reddit.
"""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.kernels.errors import AppError, ErrorKind

_STATUS: dict[int, ErrorKind] = {401: "unauthorized", 403: "permission", 404: "not_found"}


class RedditError(AppError):
    """A failed request; `message` is the client's text without the tool's sentence."""


class ServerError(RedditError):
    """An error that the tool itself throws, without a sentence in front."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A kernel's reply to a write that Reddit refused but safe mode remembers.

    Unlike an error, it does not roll back the state.
    """

    error: RedditError


def http_error(status: int, context: str) -> RedditError:
    """Return an unsuccessful HTTP response for a request that `context` describes."""
    return RedditError(_STATUS[status], f"{context}: HTTP {status}")


def api_errors(kind: ErrorKind, *sentences: str) -> RedditError:
    """Return Reddit's objections to a write."""
    return RedditError(kind, f"Reddit API errors: {', '.join(sentences)}")


def reading_of_undefined(member: str) -> ServerError:
    """Return V8's error for reading a member of undefined."""
    return ServerError("unavailable", f"Cannot read properties of undefined (reading '{member}')")
