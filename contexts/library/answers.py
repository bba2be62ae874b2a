"""Answers that need no language model: question patterns with their texts, and passages to quote."""

from __future__ import annotations

from sqlalchemy import Column, Text

from soundstage.contexts.engine.schema import AppTables, Json
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("answers")

# `ask` is a regular expression that is searched for in the question in lower case. The texts of `say` may contain its named
# groups as {name}, and {topic}, {date}, {weekday}, {time}, {year} and {result}. `compute` names the computation that must
# produce a {result}. `stage` is "first" for known questions, and "last" for replies after an unsuccessful search.
PATTERN = TABLES.entity(
    "pattern",
    Column("name", Text, primary_key=True),
    Column("stage", Text, nullable=False),
    Column("ask", Text, nullable=False),
    Column("compute", Text),
    Column("say", Json, info=shape([str])),
)

# Quotable sentences for any question; `about` names their subject if their own words do not.
PASSAGE = TABLES.entity(
    "passage",
    Column("name", Text, primary_key=True),
    Column("about", Text),
    Column("text", Text, nullable=False),
)
