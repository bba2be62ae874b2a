"""Firecrawl's API: web pages, jobs, and the API key."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("firecrawl", library=True)

_METADATA = {"title": (str, None), "description": (str, None)}
_DOCUMENT = {**dict.fromkeys(("markdown", "html", "rawHtml", "url"), (str, None)), "metadata": _METADATA}
_OPTIONS = {"formats": [str], "onlyMainContent": bool, "includeTags": [str], "excludeTags": [str]}

# `html` is a document, or its body if `rawHtml` is the document. Further members (`markdown`, `links`, `metadata` …) are the
# result of scraping; missing ones are derived from the HTML. `slow_ms` is the loading time, `unreachable` marks a page that
# cannot be loaded, and `in_sitemap` a page of the site's sitemap.
PAGE = TABLES.entity(
    "page",
    Column("url", Text, primary_key=True),
    Column("html", Text),
    Column("rawHtml", Text),
    Column("markdown", Text),
    Column("links", Json, info=shape([str])),
    Column("screenshot", Text),
    Column("extract", Json, info=shape(object)),
    Column("metadata", Json, info=shape(_METADATA)),
    Column("published", Text),
    Column("content_type", Text),
    Column("status", Integer),
    Column("slow_ms", Integer),
    Column("unreachable", Flag),
    Column("in_sitemap", Flag),
    backed="SELECT url, html, published, content_type, status, _seq FROM web_page",
)

# `pages` are the URLs that a crawl started here visits, `options` its scrape options, `createdAt` its start: its progress
# follows from the clock. A job without them, as in recorded states, does not change. `no_access` marks a job of another team.
CRAWL_JOB = TABLES.entity(
    "crawl_job",
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("url", Text),
    Column("status", Text),
    Column("completed", Integer),
    Column("total", Integer),
    Column("creditsUsed", Integer),
    Column("expiresAt", Text),
    Column("data", Json, info=shape([_DOCUMENT])),
    Column("no_access", Flag),
    Column("createdAt", Text),
    Column("pages", Json, info=shape([str])),
    Column("options", Json, info=shape(_OPTIONS)),
)

# Predefined results of the jobs of three tools. `polls` is the number of polls that return "processing".
EXTRACTION = TABLES.entity(
    "extraction",
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("urls", Json, info=shape([str])),
    Column("prompt", Text),
    Column("status", Text),
    Column("success", Flag),
    Column("data", Json, info=shape(object)),
    Column("error", Text),
    Column("polls", Integer),
)
RESEARCH = TABLES.entity(
    "research",
    Column("query", Text, primary_key=True),
    Column("status", Text),
    Column("finalAnalysis", Text),
    Column("activities", Json, info=shape([dict])),
    Column("sources", Json, info=shape([dict])),
    Column("error", Text),
    Column("polls", Integer),
)
LLMSTXT = TABLES.entity(
    "llmstxt",
    Column("url", Text, primary_key=True),
    Column("status", Text),
    Column("llmstxt", Text),
    Column("llmsfulltxt", Text),
    Column("error", Text),
    Column("polls", Integer),
)

# At most one row; without a row, the key is valid and has credits. `credits: 0` and `ratelimited` reject every start.
API_KEY = TABLES.entity(
    "api_key",
    Column("name", Text, primary_key=True, info=id_format("key")),
    Column("valid", Flag),
    Column("credits", Integer),
    Column("ratelimited", Flag),
)

MEANING = Meaning(
    automatic={
        "crawl_job": frozenset(
            {"status", "completed", "total", "creditsUsed", "expiresAt", "data", "createdAt", "pages"}
        )
    },
    bookkeeping=frozenset({"api_key", "extraction", "research", "llmstxt"}),
    text={
        "page": lambda row: row.get("markdown") or row["url"],
        "crawl_job": lambda row: row.get("url") or "",
        "research": lambda row: row.get("query") or "",
    },
)
