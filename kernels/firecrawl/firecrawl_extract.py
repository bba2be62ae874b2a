"""The `firecrawl_extract` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.web.addresses import host_of
from soundstage.kernels.engines.web.pages import is_shown, page_at
from soundstage.kernels.firecrawl.rules.account import admit
from soundstage.kernels.firecrawl.rules.bodies import check_extraction, given, with_scheme
from soundstage.kernels.firecrawl.rules.errors import (
    FirecrawlError,
    TimedOut,
    Upstream,
    given_up,
    invalid_arguments,
    undefined,
    worded,
)
from soundstage.kernels.firecrawl.rules.extracting import extracted
from soundstage.kernels.firecrawl.rules.jobs import wait_for
from soundstage.kernels.firecrawl.rules.sites import pages_of
from soundstage.kernels.types import Arguments

_SENT = ("prompt", "systemPrompt", "schema", "allowExternalLinks", "enableWebSearch", "includeSubdomains")
_POLL_MS, _USUAL_POLLS = 1000, 3
_NOT_SUPPORTED = "Extraction is not supported by this self-hosted instance. Please ensure LLM support is configured."


def run(context: AppContext, arguments: Arguments) -> Any:
    """Extract data from pages with a job that is polled every second until it ends."""
    urls = arguments.get("urls")
    if not isinstance(urls, list) or not all(isinstance(url, str) for url in urls):
        invalid_arguments("firecrawl_extract")
    try:
        admit(context)
        check_extraction({"urls": urls, **given(arguments, *_SENT)})
    except Upstream as refusal:
        raise given_up(context, worded("firecrawl_extract", refusal)) from None
    job = _extracted(context, urls, arguments.get("prompt"))
    if job is None:
        context.wait(_POLL_MS * _USUAL_POLLS)
        return extracted(context, _pages(context, urls), arguments)
    return _outcome(context, job)


def _extracted(context: AppContext, urls: list[str], prompt: str | None) -> Object | None:
    """Return the result of this extraction that the state defines, or None."""
    rows = (row for row in context.list("extraction") if row.get("urls") == urls and row.get("prompt") == prompt)
    return next(rows, None)


def _outcome(context: AppContext, job: Object) -> Any:
    status = wait_for(context, job, _POLL_MS)
    error = job.get("error", "undefined")
    if status in ("failed", "cancelled"):
        raise given_up(context, _of_job(f"Extract job {status}. Error: {error}"))
    if status != "completed":
        context.wait(60_000)  # jobs with any other status are polled forever
        raise TimedOut
    if job.get("success") is False:
        raise given_up(context, _of_job(f"Failed to extract data. Error: {error}"))
    if "data" not in job:
        raise undefined("trim")
    return job["data"]


def _of_job(message: str) -> FirecrawlError:
    """Return the error of a job; unsupported features are attributed to a self-hosted instance."""
    return FirecrawlError("unavailable", _NOT_SUPPORTED if "not supported" in message.lower() else message)


def _pages(context: AppContext, urls: list[str]) -> list[Object]:
    """Return the pages to extract from; a URL that ends in `/*` means all pages below it."""
    result: dict[str, Object] = {}
    for url in map(with_scheme, urls):
        below = url.removesuffix("*") if url.endswith("/*") else None
        if below is not None:
            pages = pages_of(context, host_of(url), subdomains=False)
            result |= {page["url"]: page for page in pages if page["url"].startswith(below)}
        elif (page := page_at(context, url)) is not None and is_shown(page):
            result[page["url"]] = page
    return list(result.values())
