"""Pollinations as its MCP server accesses it: the state of the service. Pictures are saved on the session's disk."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables

TABLES = AppTables("mcpollinations", disk=True, library=True)
TABLES.disk_view("image_file")

# A part of the service (`image`, `text` or `audio`) that responds with an HTTP `status` other than 200.
SERVICE = TABLES.entity("service", Column("name", Text, primary_key=True), Column("status", Integer))

# The server's environment variables: DEFAULT_IMAGE_MODEL, DEFAULT_IMAGE_WIDTH, OUTPUT_DIR …
SETTING = TABLES.entity("setting", Column("name", Text, primary_key=True), Column("value", Text))

MEANING = Meaning(
    text={
        "service": lambda row: row["name"],
        "setting": lambda row: f"{row['name']}: {row.get('value') or ''}",
    }
)
