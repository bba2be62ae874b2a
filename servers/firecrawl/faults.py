"""Failures of Firecrawl's API; each function of its client formats a response differently."""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.firecrawl.rules.errors import FirecrawlError, Upstream, undefined, worded
from soundstage.servers import faults
from soundstage.servers.faults import Hit, any_row
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "Firecrawl's API reference, HTTP 429; @mendable/firecrawl-js 1.21.1",
    "unavailable": "@mendable/firecrawl-js 1.21.1, for an answer that is not JSON (HTTP 503)",
    "server_error": "Firecrawl's API reference, HTTP 500; @mendable/firecrawl-js 1.21.1",
    "auth_expired": "Firecrawl's API, HTTP 401; @mendable/firecrawl-js 1.21.1",
    "timeout": "@mendable/firecrawl-js 1.21.1 without an answer: scraping stumbles over it, the others say what axios says",
}
_HANDLED = ("firecrawl_scrape", "firecrawl_check_crawl_status")


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return _refused(hit, Upstream(429, "Request rate limit exceeded. Please wait and try again later."))


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    refusal = Upstream(503, "")
    if hit.tool.name in _HANDLED:
        return _refused(hit, refusal)
    return _failed(hit, refusal.bare())


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _refused(hit, Upstream(500, "An unexpected error occurred on the server."))


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _refused(hit, Upstream(401, "Unauthorized: Invalid token"))


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    if hit.tool.name == "firecrawl_scrape":
        return faults.worded(hit, undefined("status"))
    return _failed(hit, FirecrawlError("unavailable", "connect ETIMEDOUT 203.0.113.41:443"))


def crawl_cancelled(context: AppContext, random: Random) -> bool:
    """A member of the team cancels a crawl."""
    job = any_row(context, "crawl_job", random, {"status": "scraping"})
    return job is not None and bool(context.update("crawl_job", job["id"], {"status": "cancelled"}))


DRIFTS = {"crawl_cancelled": crawl_cancelled}


def _refused(hit: Hit, refusal: Upstream) -> Answer:
    return faults.worded(hit, worded(hit.tool.name, refusal))


def _failed(hit: Hit, error: FirecrawlError) -> Answer:
    """Return an error with the outer handler's prefix for tools whose errors only that handler catches."""
    outer = hit.tool.name in ("firecrawl_map", "firecrawl_crawl", "firecrawl_check_crawl_status")
    return faults.worded(hit, FirecrawlError(error.kind, f"Error: {error.message}") if outer else error)
