"""The entities that files shows."""

from __future__ import annotations

from sqlalchemy import Column, Text

from soundstage.contexts.engine.schema import AppTables

TABLES = AppTables("files")

TABLES.entity(
    "entry",
    Column("path", Text, primary_key=True),
    Column("kind", Text),
    Column("text", Text),
)
