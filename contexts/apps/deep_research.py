"""The deep-research server's search with Tavily: web pages, and the API key."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, id_format

TABLES = AppTables("deep_research", library=True)

# A page's `title` and `content` are used if the state defines them, otherwise they are derived from its HTML.
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

# At most one row; without a row, the key is valid. `valid: false` is a key that Tavily rejects, `missing: true` means no key.
API_KEY = TABLES.entity(
    "api_key",
    Column("name", Text, primary_key=True, info=id_format("key")),
    Column("valid", Flag),
    Column("missing", Flag),
)

# Settings of the server: `time_zone` of its machine (UTC), MAX_PLANNING_ROUNDS (5).
SETTING = TABLES.entity("setting", Column("name", Text, primary_key=True), Column("value", Text))

MEANING = Meaning(
    bookkeeping=frozenset({"api_key", "setting"}), text={"page": lambda row: row.get("title") or row["url"]}
)
