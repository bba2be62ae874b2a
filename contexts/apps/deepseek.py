"""DeepSeek's API as its MCP server accesses it, and the conversations in the memory of the server process."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("deepseek", library=True)

# Conversations in the memory of the server process, with their messages.
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

# Balances in CNY or USD; amounts are strings with two decimals. The default is the example of DeepSeek's documentation.
ACCOUNT = TABLES.entity(
    "account",
    Column("currency", Text, primary_key=True),
    Column("total_balance", Text),
    Column("granted_balance", Text),
    Column("topped_up_balance", Text),
)

# The models; by default deepseek-chat and deepseek-reasoner. `status` is the HTTP status of every response of this model.
MODEL = TABLES.entity(
    "model",
    Column("id", Text, primary_key=True),
    Column("owned_by", Text),
    Column("status", Integer),
)

# Settings of the server. DEEPSEEK_DEFAULT_MODEL has no effect, because the schema's default is applied before.
SETTING = TABLES.entity("setting", Column("name", Text, primary_key=True), Column("value", Text))

MEANING = Meaning(
    text={
        "conversation": lambda row: str((row.get("messages") or [{}])[-1].get("content") or ""),
        "account": lambda row: f"{row['currency']} {row.get('total_balance') or ''}",
        "model": lambda row: row["id"],
        "setting": lambda row: f"{row['name']}: {row.get('value') or ''}",
    }
)
