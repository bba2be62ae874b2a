"""DeepSeek's API as its MCP server reaches it, and the conversations that the server's process remembers."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("deepseek", library=True)

# What the server's process remembers; the messages as they were sent and answered.
CONVERSATION = TABLES.entity(
    "conversation",
    Column("conversation_id", Text, primary_key=True, info=id_format("conv-{hex:8}")),
    Column("messages", Json, info=shape([dict])),
)

# The server's key; the first row counts. `status` is an HTTP status with which every request is answered.
API_KEY = TABLES.entity(
    "api_key",
    Column("id", Text, primary_key=True, info=id_format("sk-{hex:32}")),
    Column("valid", Flag),
    Column("status", Integer),
)

# What is to be spent, in CNY or USD; amounts are texts with two places. Without rows it is DeepSeek's own example.
ACCOUNT = TABLES.entity(
    "account",
    Column("currency", Text, primary_key=True),
    Column("total_balance", Text),
    Column("granted_balance", Text),
    Column("topped_up_balance", Text),
)

# The models; without rows deepseek-chat and deepseek-reasoner. `status` is the HTTP status of every answer of this one.
MODEL = TABLES.entity(
    "model",
    Column("id", Text, primary_key=True),
    Column("owned_by", Text),
    Column("status", Integer),
)

# What the server was started with: DEEPSEEK_DEFAULT_MODEL has no effect, the schema's default is filled in before.
SETTING = TABLES.entity("setting", Column("name", Text, primary_key=True), Column("value", Text))

MEANING = Meaning(
    text={
        "conversation": lambda row: str((row.get("messages") or [{}])[-1].get("content") or ""),
        "account": lambda row: f"{row['currency']} {row.get('total_balance') or ''}",
        "model": lambda row: row["id"],
        "setting": lambda row: f"{row['name']}: {row.get('value') or ''}",
    }
)
