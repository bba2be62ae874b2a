"""What Firecrawl's API knows: the web's pages, the jobs that it was given, and the key that it is asked with."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("firecrawl", library=True)

_METADATA = {"title": (str, None), "description": (str, None)}
_DOCUMENT = {**dict.fromkeys(("markdown", "html", "rawHtml", "url"), (str, None)), "metadata": _METADATA}
_OPTIONS = {"formats": [str], "onlyMainContent": bool, "includeTags": [str], "excludeTags": [str]}

# `html` is a document, or what is in its body where `rawHtml` is the document. What else is given for a page (`markdown`,
# `links`, `metadata` …) is what scraping it yields; the rest is read off the HTML. `slow_ms` is how long the page takes,
# `unreachable` that it cannot be had, `in_sitemap` that the site's own list has it.
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

# `pages` are the addresses that a crawl started here comes by, `options` how it reads them, `createdAt` when it was started:
# how far it is follows from the clock. A job without them, as recorded states have it, stays as it is told. `no_access` says
# that it is another team's.
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

# What the jobs of three tools will answer, for states that want to say so. `polls` is how often they still say "processing".
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

# One row, or none: then the key is good and has credits. `credits: 0` refuses every start, `ratelimited` too.
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
