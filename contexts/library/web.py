"""The web as stored in the library: sites, their pages and pictures, and the handlers of their forms."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.schema import AppTables, Json

TABLES = AppTables("web")

# `host` is the part between the scheme and the first slash. `kind` names the layout of the site's pages.
SITE = TABLES.entity(
    "site",
    Column("host", Text, primary_key=True),
    Column("name", Text),
    Column("title", Text),
    Column("description", Text),
    Column("lang", Text),
    Column("kind", Text),
)

# `site` is a site's host, `published` an ISO date (absent where a page carries none).
PAGE = TABLES.entity(
    "page",
    Column("url", Text, primary_key=True),
    Column("site", Text),
    Column("title", Text),
    Column("description", Text),
    Column("html", Text),
    Column("lang", Text),
    Column("published", Text),
    Column("author", Text),
    Column("content_type", Text),
    Column("status", Integer),
    parents={"site": "site"},
)

ASSET = TABLES.entity(
    "asset",
    Column("url", Text, primary_key=True),
    Column("content_type", Text),
    Column("base64", Text),
)

# The handler of a form or script at an address without query; method "*" matches all. The `kind` of `rule` determines the
# expected input and the result.
ENDPOINT = TABLES.entity(
    "endpoint",
    Column("url", Text, primary_key=True),
    Column("method", Text),
    Column("kind", Text),
    Column("rule", Json),
)
