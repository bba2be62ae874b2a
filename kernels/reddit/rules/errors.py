"""Refusals: Reddit's, as the MCP server's client words them, and the server's own.

Where a client's request fails, the tool puts a sentence of its own in front ("Failed to get post: …"), which the dialect knows.
Source: `src/client/errors.ts` in https://github.com/jordanburke/reddit-mcp-server; Reddit's sentences are those of
`r2/r2/lib/errors.py` in https://github.com/reddit-archive/reddit.
"""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.kernels.errors import AppError, ErrorKind

_STATUS: dict[int, ErrorKind] = {401: "unauthorized", 403: "permission", 404: "not_found"}


class RedditError(AppError):
    """A request that failed; `message` is what the client says of it, without the tool's sentence."""


class Thrown(RedditError):
    """What a tool throws by itself; nothing stands in front of it."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A kernel's answer when Reddit refused what safe mode remembers all the same: unlike with an error, that stays."""

    error: RedditError


def http_error(status: int, context: str) -> RedditError:
    """An answer of Reddit's that is no success, for a request that `context` describes."""
    return RedditError(_STATUS[status], f"{context}: HTTP {status}")


def api_errors(kind: ErrorKind, *sentences: str) -> RedditError:
    """What Reddit objects to in something that was to be written."""
    return RedditError(kind, f"Reddit API errors: {', '.join(sentences)}")


def reading_of_undefined(member: str) -> Thrown:
    """What V8 says when a member of something absent is asked for."""
    return Thrown("unavailable", f"Cannot read properties of undefined (reading '{member}')")
