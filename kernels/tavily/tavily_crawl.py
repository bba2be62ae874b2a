"""The `tavily_crawl` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.tavily.rules import layout
from soundstage.kernels.tavily.rules.account import admit
from soundstage.kernels.tavily.rules.crawling import walked
from soundstage.kernels.tavily.rules.layout import Entry
from soundstage.kernels.tavily.rules.reading import favicon, raw_content
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Read the pages of a site by following its links."""
    admit(context)
    base, pages = walked(context, arguments)
    markdown = arguments.get("format") != "text"
    icons = arguments.get("include_favicon") is True
    return layout.crawled(
        base,
        [
            Entry(p["url"], raw_content=raw_content(p, markdown=markdown), favicon=favicon(p["url"]) if icons else "")
            for p in pages
        ],
    )
