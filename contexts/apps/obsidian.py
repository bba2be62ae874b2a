"""Obsidian's entities: the notes of a vault, and how the vault and its Local REST API are set.

A note's front matter and tags are in its text and nowhere else: Obsidian reads them from there, and so do the tools.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("obsidian")

_PERIOD = shape({"folder": (str, None), "format": (str, None)})
# Milliseconds since 1970. A file that does not say when it was changed was changed at the moment at which somebody asks.
_STAT = shape({"ctime": (int, float), "mtime": (int, float), "size": int})


def _of_a_vault() -> list[Column[Any]]:
    """What there is to say of a vault and of the REST API in front of it.

    `periods_enabled` are the periodic notes that are switched on (daily, weekly …); `daily` to `yearly` say where they lie and,
    in a moment.js format, what they are called. `zone` is the machine's time zone, UTC without one; `dataview` false: that plugin
    is not there. `protocol`, `host` and `port` are the REST API's, as its client has them.
    """
    return [
        Column("name", Text),
        Column("periods_enabled", Json, info=shape([str])),
        *(Column(period, Json, info=_PERIOD) for period in ("daily", "weekly", "monthly", "quarterly", "yearly")),
        Column("zone", Text),
        Column("dataview", Flag),
        Column("protocol", Text),
        Column("host", Text),
        Column("port", Integer),
    ]


# The state's own vault.
SETTINGS = TABLES.entity(
    "settings", Column("vault", Text, primary_key=True, info=id_format("{hex:16}")), *_of_a_vault()
)

# Those of other people who act: each of them has an Obsidian, and so an MCP server, of their own.
OTHER_VAULT = TABLES.entity("other_vault", Column("vault", Text, primary_key=True), *_of_a_vault())

# The key with which the MCP server comes. `valid` false: it is not the one in the plugin's settings.
API_KEY = TABLES.entity(
    "api_key",
    Column("value", Text, primary_key=True, info=id_format("{hex:64}")),
    Column("valid", Flag),
)

# The files of the state's own vault, by path from its root. Folders are there as long as there is a file below them.
FILE = TABLES.entity(
    "file",
    Column("path", Text, primary_key=True),
    Column("content", Text),
    Column("stat", Json, info=_STAT),
)

# Those of other people's vaults.
OTHER_FILE = TABLES.entity(
    "other_file",
    Column("vault", Text, primary_key=True),
    Column("path", Text, primary_key=True),
    Column("content", Text),
    Column("stat", Json, info=_STAT),
    parents={"other_vault": "vault"},
)

MEANING = Meaning(
    automatic={"file": frozenset({"stat"}), "other_file": frozenset({"stat"})},
    text={"file": lambda row: row.get("content") or "", "other_file": lambda row: row.get("content") or ""},
)
