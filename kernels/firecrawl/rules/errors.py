"""Errors in the words of Firecrawl's JavaScript client (@mendable/firecrawl-js 1.21.1) and of the MCP server.

The server catches errors in two places: in most tools, where the message is the reply, and around everything, where it adds
`Error: `. Sources: `dist/index.js` of both packages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import orjson

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError, ErrorKind

_KINDS: dict[int, ErrorKind] = {
    400: "invalid",
    401: "unauthorized",
    402: "limit",
    403: "permission",
    404: "not_found",
    408: "unavailable",
    429: "rate_limited",
    500: "unavailable",
    503: "unavailable",
}
_EXPLAINED = frozenset({400, 402, 403, 408, 409, 500})
"""Statuses for which the client's `handleError` reads the error text."""
_RETRIES_MS = (1000, 2000)


class FirecrawlError(AppError):
    """A failure; `message` is the complete text that the client receives."""


class TimedOut(AppError):
    """The server never answers; the client times out after a minute."""

    def __init__(self) -> None:
        """Create the client's timeout error."""
        super().__init__("unavailable", "Request timed out")


class Upstream(Exception):
    """The API rejects a request with a status, an error text, and zod's issues if the body is invalid."""

    def __init__(self, status: int, error: str, details: Sequence[dict[str, Any]] | None = None) -> None:
        """Create the rejection."""
        super().__init__(error)
        self.status = status
        self.error = error
        self.details = orjson.dumps(details).decode() if details is not None else None

    @property
    def kind(self) -> ErrorKind:
        """Return the kind of the error."""
        return _KINDS[self.status]

    def handled(self, action: str) -> FirecrawlError:
        """Return the message of `handleError`, which includes the API's text for some statuses."""
        if self.status not in _EXPLAINED:
            words = f"Unexpected error occurred while trying to {action}. Status code: {self.status}"
        else:
            details = f" - {self.details}" if self.details is not None else ""
            words = f"Failed to {action}. Status code: {self.status}. Error: {self.error}{details}"
        return FirecrawlError(self.kind, words)

    def in_full(self) -> FirecrawlError:
        """Return the message for starting a job or a search; the double space before the dash is the client's."""
        details = f" - {self.details}" if self.details is not None else ""
        return FirecrawlError(
            self.kind, f"Request failed with status code {self.status}. Error: {self.error} {details}".rstrip()
        )

    def bare(self) -> FirecrawlError:
        """Return axios's message, for calls that do not read the body."""
        return FirecrawlError(self.kind, f"Request failed with status code {self.status}")


def invalid_arguments(tool: str) -> NoReturn:
    """Raise the server's error for missing required arguments."""
    raise FirecrawlError("invalid_arguments", f"Error: Invalid arguments for {tool}")


def plain(error: FirecrawlError) -> FirecrawlError:
    """Return an error that only the outer handler catches."""
    return FirecrawlError(error.kind, f"Error: {error.message}")


_WORDED: Mapping[str, Callable[[Upstream], FirecrawlError]] = {
    "firecrawl_scrape": lambda refusal: refusal.handled("scrape URL"),
    "firecrawl_map": lambda refusal: plain(refusal.bare()),
    "firecrawl_crawl": lambda refusal: plain(refusal.in_full()),
    "firecrawl_check_crawl_status": lambda refusal: plain(refusal.handled("check crawl status")),
    "firecrawl_search": Upstream.in_full,
    "firecrawl_extract": Upstream.bare,
    "firecrawl_deep_research": Upstream.in_full,
    "firecrawl_generate_llmstxt": Upstream.in_full,
}


def worded(tool: str, refusal: Upstream) -> FirecrawlError:
    """Return a tool's error for a rejection; each function of the client formats it differently."""
    return _WORDED[tool](refusal)


def given_up(context: AppContext, error: FirecrawlError) -> FirecrawlError:
    """Return the error after three attempts of `withRetry`, which retries rate limits and takes time."""
    if "rate limit" in error.message or "429" in error.message:
        context.wait(sum(_RETRIES_MS))
    return error


def undefined(member: str, value: str = "undefined") -> FirecrawlError:
    """Return JavaScript's error for a member of undefined."""
    return FirecrawlError("internal", f"Cannot read properties of {value} (reading '{member}')")
