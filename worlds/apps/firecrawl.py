"""Firecrawl in a world: its pages are the library's, jobs are started by agents, and the key has its default."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {
    "page": Rows(),
    "crawl_job": Rows(),
    "extraction": Rows(),
    "research": Rows(),
    "llmstxt": Rows(),
    "api_key": Rows(),
}
