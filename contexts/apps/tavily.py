"""Tavily's API: web pages, and the API key."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, id_format

TABLES = AppTables("tavily", library=True)

# A page's `title`, `content` and `raw_content` are used if the state defines them, otherwise they are derived from its HTML.
# `published_date` is an ISO date; a page without one is in no time range.
PAGE = TABLES.entity(
    "page",
    Column("url", Text, primary_key=True),
    Column("title", Text),
    Column("content", Text),
    Column("raw_content", Text),
    Column("html", Text),
    Column("published_date", Text),
    Column("content_type", Text),
    Column("status", Integer),
    backed="SELECT url, title, html, published AS published_date, content_type, status, _seq FROM web_page",
)

# At most one row; without a row, nothing is used up. `state` is plan_limit, paygo_limit, rate_limited or server_error.
QUOTA = TABLES.entity("quota", Column("name", Text, primary_key=True, info=id_format("quota")), Column("state", Text))

# At most one row; without a row, the key is valid.
API_KEY = TABLES.entity("api_key", Column("name", Text, primary_key=True, info=id_format("key")), Column("valid", Flag))

MEANING = Meaning(
    bookkeeping=frozenset({"quota", "api_key"}), text={"page": lambda row: row.get("title") or row["url"]}
)
