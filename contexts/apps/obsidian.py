"""Obsidian's entities: the notes of a vault, and the settings of the vault and its Local REST API.

A note's front matter and tags exist only in its text, from which Obsidian and the tools parse them.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("obsidian")

_PERIOD = shape({"folder": (str, None), "format": (str, None)})
# Milliseconds since 1970. The default modification time of a file is the time of the query.
_STAT = shape({"ctime": (int, float), "mtime": (int, float), "size": int})


def _of_a_vault() -> list[Column[Any]]:
    """Return the settings of a vault and its REST API.

    `periods_enabled` lists the enabled periodic notes (daily, weekly …); `daily` to `yearly` state their folders and, in the
    format of `moment.js`, their names. `zone` is the machine's time zone, by default UTC; `dataview` is false if that plugin is
    missing. `protocol`, `host` and `port` are those of the REST API in its client's settings.
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

# Vaults of other accounts, each with its own Obsidian and MCP server.
OTHER_VAULT = TABLES.entity("other_vault", Column("vault", Text, primary_key=True), *_of_a_vault())

# The MCP server's key. `valid` is false if it differs from that in the plugin's settings.
API_KEY = TABLES.entity(
    "api_key",
    Column("value", Text, primary_key=True, info=id_format("{hex:64}")),
    Column("valid", Flag),
)

# The files of the state's own vault, by path from its root. Folders exist while they contain a file.
FILE = TABLES.entity(
    "file",
    Column("path", Text, primary_key=True),
    Column("content", Text),
    Column("stat", Json, info=_STAT),
)

# The files of other accounts' vaults.
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
