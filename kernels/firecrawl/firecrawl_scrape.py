"""The `firecrawl_scrape` tool."""

from __future__ import annotations

import re
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import indented, is_true, text
from soundstage.kernels.engines.web.addresses import host_of
from soundstage.kernels.engines.web.pages import has_own_pages, page_at
from soundstage.kernels.firecrawl.rules.account import admit
from soundstage.kernels.firecrawl.rules.bodies import check_scrape, waiting_ms, with_scheme
from soundstage.kernels.firecrawl.rules.documents import html_of, links_of, markdown_of, raw_html, screenshot_of
from soundstage.kernels.firecrawl.rules.errors import Upstream, invalid_arguments, undefined, worded
from soundstage.kernels.firecrawl.rules.extracting import extracted
from soundstage.kernels.firecrawl.rules.sites import reachable
from soundstage.kernels.types import Arguments

_TIMEOUT_MS = 30_000
_WHOLE = re.compile(r"\s*[+-]?\d")


def run(context: AppContext, arguments: Arguments) -> str:
    """Read a page; only the requested formats are printed, and there is no default."""
    if not isinstance(arguments.get("url"), str):
        invalid_arguments("firecrawl_scrape")
    _send(arguments)
    try:
        admit(context)
        check_scrape(arguments)
        page = _loaded(context, arguments)
    except Upstream as refusal:
        raise worded("firecrawl_scrape", refusal) from None
    return "\n\n".join(_parts(context, page, arguments)) or "No content available"


def _send(arguments: Arguments) -> None:
    """Check the timeout: the client adds five seconds with JavaScript's `+`, and axios rejects results that are not numbers.

    Raises:
        FirecrawlError: The request was not sent; the message is the client's error for the missing response.
    """
    timeout = arguments.get("timeout")
    if isinstance(timeout, str | list | dict) and not _WHOLE.match(f"{text(timeout)}5000"):
        raise undefined("status")


def _loaded(context: AppContext, arguments: Arguments) -> Object:
    """Return the page after its loading time. A site's 404 is an empty page.

    Raises:
        Upstream: 500 if the site is unreachable, 408 if the page takes longer than the timeout.
    """
    address = with_scheme(arguments["url"])
    page = page_at(context, address)
    if page is None:
        if not reachable(context, host_of(address)):
            raise Upstream(500, "An unexpected error occurred on the server.")
        return {"url": address, "status": 404}
    if page.get("unreachable"):
        raise Upstream(500, "An unexpected error occurred on the server.")
    needed, timeout = page.get("slow_ms") or 0, arguments.get("timeout", _TIMEOUT_MS)
    if needed > timeout:
        context.wait(int(timeout))
        raise Upstream(408, "Request timed out")
    context.wait(needed + int(arguments.get("waitFor", 0)) + waiting_ms(arguments.get("actions") or []))
    return page


def _parts(context: AppContext, page: Object, arguments: Arguments) -> list[str]:
    """Return the printed parts in the server's order; missing parts are omitted."""
    makers: dict[str, Any] = {
        "markdown": lambda: markdown_of(page, arguments),
        "html": lambda: html_of(page, arguments),
        "rawHtml": lambda: raw_html(page),
        "links": lambda: "\n".join(links_of(page)),
        "screenshot": lambda: screenshot_of(page, is_recorded=has_own_pages(context)),
        "extract": lambda: _extract(context, page, arguments["extract"]),
    }
    formats = arguments.get("formats") or ()
    return [part for name, make in makers.items() if name in formats and (part := make())]


def _extract(context: AppContext, page: Object, wanted: dict[str, Any]) -> str:
    """Return extracted data as JSON; falsy data is omitted. Pages of a recorded state have only the recorded data."""
    data = page.get("extract") if has_own_pages(context) else extracted(context, [page], wanted)
    return indented(data) if is_true(data) else ""
