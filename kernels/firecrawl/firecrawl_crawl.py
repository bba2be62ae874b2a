"""The `firecrawl_crawl` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.firecrawl.rules.account import admit
from soundstage.kernels.firecrawl.rules.bodies import check_crawl
from soundstage.kernels.firecrawl.rules.errors import Upstream, given_up, invalid_arguments, worded
from soundstage.kernels.firecrawl.rules.jobs import started
from soundstage.kernels.firecrawl.rules.sites import crawled
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Start crawling a whole site; the job continues in the background."""
    url = arguments.get("url")
    if not isinstance(url, str):
        invalid_arguments("firecrawl_crawl")
    try:
        admit(context)
        check_crawl(arguments)
    except Upstream as refusal:
        raise given_up(context, worded("firecrawl_crawl", refusal)) from None
    job = started(context, url, crawled(context, arguments), arguments.get("scrapeOptions") or {})
    return f"Started crawl for {url} with job ID: {job['id']}. Use firecrawl_check_crawl_status to check progress."
