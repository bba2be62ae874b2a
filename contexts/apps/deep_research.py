"""What the deep-research server searches, by way of Tavily: the web's pages, and the key that it asks with."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, id_format

TABLES = AppTables("deep_research", library=True)

# A page whose state gives `title` or `content` is told in these words; else they are read off its HTML.
PAGE = TABLES.entity(
    "page",
    Column("url", Text, primary_key=True),
    Column("title", Text),
    Column("content", Text),
    Column("html", Text),
    Column("published_date", Text),
    Column("content_type", Text),
    Column("status", Integer),
    backed="SELECT url, title, html, published AS published_date, content_type, status, _seq FROM web_page",
)

# One row, or none: then the key is good. `valid: false` is a key that Tavily does not know, `missing: true` none at all.
API_KEY = TABLES.entity(
    "api_key",
    Column("name", Text, primary_key=True, info=id_format("key")),
    Column("valid", Flag),
    Column("missing", Flag),
)

# What the server was started with: `time_zone` of its machine (UTC), MAX_PLANNING_ROUNDS (5).
SETTING = TABLES.entity("setting", Column("name", Text, primary_key=True), Column("value", Text))

MEANING = Meaning(
    bookkeeping=frozenset({"api_key", "setting"}), text={"page": lambda row: row.get("title") or row["url"]}
)
