"""A small app of the tests' own, so that the engine is tested without any real one."""

from __future__ import annotations

from sqlalchemy import REAL, Column, Integer, Text

from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format

TABLES = AppTables("sample", disk=True)
TABLES.disk_view("paper", text="content")
TABLES.entity("owner", Column("owner_id", Text, primary_key=True, info=id_format("own_{hex:8}")), Column("name", Text))
TABLES.entity(
    "shelf",
    Column("shelf_id", Text, primary_key=True, info=id_format("shf_{alnum:6}")),
    Column("owner_id", Text),
    Column("label", Text),
    Column("parent_shelf", Text),
    parents={"owner": "owner_id", "shelf": "parent_shelf"},
)
TABLES.entity(
    "book",
    Column("shelf_id", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("title", Text),
    Column("price", REAL),
    Column("lent", Flag),
    Column("notes", Json),
    parents={"shelf": "shelf_id"},
)
