"""Google's search and the web page reader: web pages, and the key of the search engine."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, id_format

TABLES = AppTables("google_search", library=True)

# `content_type` and `status` are those of the response, by default text/html and 200. `unreachable` marks a server that refuses
# connections.
PAGE = TABLES.entity(
    "page",
    Column("url", Text, primary_key=True),
    Column("title", Text),
    Column("description", Text),
    Column("html", Text),
    Column("content_type", Text),
    Column("status", Integer),
    Column("unreachable", Flag),
    backed="SELECT url, title, description, html, content_type, status, _seq FROM web_page",
)

# At most one row; without a row, the key is valid. `exhausted` means that the daily quota is used up.
API_KEY = TABLES.entity(
    "api_key",
    Column("name", Text, primary_key=True, info=id_format("key")),
    Column("valid", Flag),
    Column("exhausted", Flag),
)

MEANING = Meaning(bookkeeping=frozenset({"api_key"}), text={"page": lambda row: row.get("title") or row["url"]})
