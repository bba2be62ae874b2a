"""What goes wrong at Firecrawl, in the words of its JavaScript client (@mendable/firecrawl-js 1.21.1) and of the MCP server.

The server catches errors in two places: in most tools, where their message is the reply, and around everything, where
`Error: ` is put in front. Sources: `dist/index.js` of both packages.
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
_TOLD = frozenset({400, 402, 403, 408, 409, 500})
"""The statuses whose error text `handleError` of the client reads."""
_RETRIES_MS = (1000, 2000)


class FirecrawlError(AppError):
    """A failure; `message` is all that the client is told."""


class TimedOut(AppError):
    """The server never answers: what a client sees that has waited for a minute."""

    def __init__(self) -> None:
        super().__init__("unavailable", "Request timed out")


class Upstream(Exception):
    """The API refuses: a status, its error text, and what is wrong with the body (zod's issues), if that is what it is."""

    def __init__(self, status: int, error: str, details: Sequence[dict[str, Any]] | None = None) -> None:
        super().__init__(error)
        self.status = status
        self.error = error
        self.details = orjson.dumps(details).decode() if details is not None else None

    @property
    def kind(self) -> ErrorKind:
        return _KINDS[self.status]

    def handled(self, action: str) -> FirecrawlError:
        """As `handleError` says it: with the API's words for some statuses, without them for others."""
        if self.status not in _TOLD:
            words = f"Unexpected error occurred while trying to {action}. Status code: {self.status}"
        else:
            details = f" - {self.details}" if self.details is not None else ""
            words = f"Failed to {action}. Status code: {self.status}. Error: {self.error}{details}"
        return FirecrawlError(self.kind, words)

    def in_full(self) -> FirecrawlError:
        """As starting a job or a search says it; the two blanks before the dash are the client's."""
        details = f" - {self.details}" if self.details is not None else ""
        return FirecrawlError(
            self.kind, f"Request failed with status code {self.status}. Error: {self.error} {details}".rstrip()
        )

    def bare(self) -> FirecrawlError:
        """As axios says it, where nobody reads the body."""
        return FirecrawlError(self.kind, f"Request failed with status code {self.status}")


def invalid_arguments(tool: str) -> NoReturn:
    """The server's own check of what a tool cannot do without."""
    raise FirecrawlError("invalid_arguments", f"Error: Invalid arguments for {tool}")


def plain(error: FirecrawlError) -> FirecrawlError:
    """An error that only the outer handler catches."""
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
    """What a tool says when the API refuses: each of the client's functions reads the answer in its own way."""
    return _WORDED[tool](refusal)


def given_up(context: AppContext, error: FirecrawlError) -> FirecrawlError:
    """The error of an operation that `withRetry` has tried three times if it speaks of a rate limit; that takes its time."""
    if "rate limit" in error.message or "429" in error.message:
        context.wait(sum(_RETRIES_MS))
    return error


def undefined(member: str, value: str = "undefined") -> FirecrawlError:
    """What JavaScript says of a member of nothing."""
    return FirecrawlError("internal", f"Cannot read properties of {value} (reading '{member}')")
