"""Pollinations, as its MCP server reaches it: the service's moods. Pictures are saved on the session's disk."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables

TABLES = AppTables("mcpollinations", disk=True, library=True)
TABLES.disk_view("image_file")

# A part of the service, `image`, `text` or `audio`, that answers with an HTTP `status` other than 200.
SERVICE = TABLES.entity("service", Column("name", Text, primary_key=True), Column("status", Integer))

# What the server was started with, by the names of its environment: DEFAULT_IMAGE_MODEL, DEFAULT_IMAGE_WIDTH, OUTPUT_DIR …
SETTING = TABLES.entity("setting", Column("name", Text, primary_key=True), Column("value", Text))

MEANING = Meaning(
    text={
        "service": lambda row: row["name"],
        "setting": lambda row: f"{row['name']}: {row.get('value') or ''}",
    }
)
