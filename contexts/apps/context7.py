"""Context7: libraries and the pieces of their documentation, with the field names of its public API (v2)."""

from __future__ import annotations

from sqlalchemy import REAL, Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("context7", library=True)

# `id` is /org/project. `state` is finalized once its documentation is available; -1 represents an unknown number.
LIBRARY = TABLES.entity(
    "library",
    Column("id", Text, primary_key=True),
    Column("title", Text),
    Column("description", Text),
    Column("branch", Text),
    Column("lastUpdateDate", Text),
    Column("state", Text),
    Column("totalTokens", Integer),
    Column("totalSnippets", Integer),
    Column("totalPages", Integer),
    Column("stars", Integer),
    Column("trustScore", REAL),
    Column("benchmarkScore", REAL),
    Column("versions", Json, info=shape([str])),
    Column("source", Text),
    backed="""
    SELECT id, title, description, 'main' AS branch, updated AS lastUpdateDate, 'finalized' AS state, tokens AS totalTokens,
      snippets AS totalSnippets, pages AS totalPages, stars, trust AS trustScore, benchmark AS benchmarkScore, versions, _seq
    FROM docs_library""",
)

# A snippet as the API prints it: `text` is Markdown with heading, source and code. A snippet without `version` belongs to all
# versions.
DOC = TABLES.entity(
    "doc",
    Column("id", Text, primary_key=True, info=id_format("{hex:16}")),
    Column("libraryId", Text),
    Column("heading", Text),
    Column("version", Text),
    Column("text", Text),
    parents={"library": "libraryId"},
    backed="""
    SELECT id, library_id AS libraryId, title AS heading, version, _seq,
      '### ' || title || char(10, 10) || 'Source: ' || address || char(10, 10) || prose || char(10)
        || coalesce(char(10) || '```' || coalesce(language, '') || char(10) || code || char(10) || '```' || char(10), '') AS text
    FROM docs_snippet""",
)

# Settings of the server: `generation` ("1.0.x" for the old one), `api_key`, and `rate_limited` once its calls are used up.
SERVER = TABLES.entity("server", Column("name", Text, primary_key=True), Column("value", Json, info=shape((str, bool))))

MEANING = Meaning(
    text={
        "library": lambda row: f"{row.get('title') or row['id']} {row.get('description') or ''}".strip(),
        "doc": lambda row: row.get("heading") or (row.get("text") or "")[:120],
        "server": lambda row: row["name"],
    },
)
