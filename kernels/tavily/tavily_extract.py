"""The `tavily_extract` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.web.pages import is_shown, page_at
from soundstage.kernels.tavily.rules import layout
from soundstage.kernels.tavily.rules.account import admit
from soundstage.kernels.tavily.rules.errors import Refused
from soundstage.kernels.tavily.rules.layout import Entry
from soundstage.kernels.tavily.rules.reading import favicon, raw_content
from soundstage.kernels.types import Arguments

_MOST = 20


def run(context: AppContext, arguments: Arguments) -> str:
    """Read pages; unavailable ones are omitted silently."""
    admit(context)
    urls = arguments.get("urls")
    urls = [urls] if isinstance(urls, str) else urls
    if not isinstance(urls, list) or not urls or len(urls) > _MOST or not all(isinstance(u, str) and u for u in urls):
        raise Refused(400)
    markdown = arguments.get("format") != "text"
    icons = arguments.get("include_favicon") is True
    return layout.results(
        [
            Entry(url, raw_content=raw_content(page, markdown=markdown), favicon=favicon(url) if icons else "")
            for url in urls
            if (page := page_at(context, url)) is not None and is_shown(page)
        ]
    )
