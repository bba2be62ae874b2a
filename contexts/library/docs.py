"""Programming libraries that do not exist, and their documentation in pieces, each with its page on a docs.*.test site."""

from __future__ import annotations

from sqlalchemy import REAL, Column, Integer, Text

from soundstage.contexts.engine.schema import AppTables, Json
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("docs")

# `id` is /org/project; `site` the address below which its pages are. `versions` begin with the newest; `trust` goes to 10,
# `benchmark` to 100. `snippets`, `pages` and `tokens` count what there is of it.
LIBRARY = TABLES.entity(
    "library",
    Column("id", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("package", Text, nullable=False),
    Column("site", Text, nullable=False),
    Column("updated", Text, nullable=False),
    Column("stars", Integer, nullable=False),
    Column("trust", REAL, nullable=False),
    Column("benchmark", REAL),
    Column("versions", Json, info=shape([str])),
    Column("snippets", Integer, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("tokens", Integer, nullable=False),
)

# `prose` is Markdown, `code` what follows it in `language`. One with a `version` is of that version alone.
SNIPPET = TABLES.entity(
    "snippet",
    Column("id", Text, primary_key=True),
    Column("library_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("prose", Text, nullable=False),
    Column("language", Text),
    Column("code", Text),
    Column("version", Text),
    parents={"library": "library_id"},
)
