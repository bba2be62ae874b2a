"""Notion's entities, with the field names of its API at version 2026-03-11.

What an object hangs on is inside its `parent` object there; SQLite derives the links from it. Columns stand in the
order in which the API sends the fields. Nullable fields are JSON columns, so that a null stays one.
"""

from __future__ import annotations

from sqlalchemy import Column, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, Object, id_format, json_link

TABLES = AppTables("notion")

# The option of the server process that `name` is called by, such as NOTION_MARKDOWN_CONVERSION; without a row it is
# not set.
SETTING = TABLES.entity("setting", Column("name", Text, primary_key=True), Column("value", Text))

# The connection whose token the server holds. Without a row it may do everything. `bot_id` names its user. One with a
# `user_id` is that person's own; everybody else acts through the one without.
INTEGRATION = TABLES.entity(
    "integration",
    Column("token", Text, primary_key=True, info=id_format("ntn_{alnum:46}")),
    Column("name", Text),
    Column("bot_id", Text),
    Column("capabilities", Json),
    Column("user_id", Text),
)

USER = TABLES.entity(
    "user",
    Column("object", Text),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("name", Text),
    Column("avatar_url", Json),
    Column("type", Text),
    Column("person", Json),
    Column("bot", Json),
)

PAGE = TABLES.entity(
    "page",
    Column("object", Text),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("created_time", Text),
    Column("last_edited_time", Text),
    Column("created_by", Json),
    Column("last_edited_by", Json),
    Column("cover", Json),
    Column("icon", Json),
    Column("parent", Json),
    Column("in_trash", Flag),
    Column("is_locked", Flag),
    Column("properties", Json),
    Column("url", Text),
    Column("public_url", Json),
    json_link("parent_page_id", "parent", "page_id", type="page_id"),
    json_link("parent_block_id", "parent", "block_id", type="block_id"),
    json_link("parent_data_source_id", "parent", "data_source_id", type="data_source_id"),
    parents={"page": "parent_page_id"},
)

# A block's content is the field named like its type, of which there are some forty: none is declared.
# `after` is the sibling behind which a child was put (its parent's id: at the start); see `kernels/notion/rules/children.py`.
BLOCK = TABLES.entity(
    "block",
    Column("object", Text),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("parent", Json),
    Column("created_time", Text),
    Column("last_edited_time", Text),
    Column("created_by", Json),
    Column("last_edited_by", Json),
    Column("has_children", Flag),
    Column("in_trash", Flag),
    Column("type", Text),
    Column("after", Text),
    json_link("parent_page_id", "parent", "page_id", type="page_id"),
    json_link("parent_block_id", "parent", "block_id", type="block_id"),
    parents={"page": "parent_page_id", "block": "parent_block_id"},
    open_fields=True,
)

DATABASE = TABLES.entity(
    "database",
    Column("object", Text),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("title", Json),
    Column("description", Json),
    Column("parent", Json),
    Column("is_inline", Flag),
    Column("in_trash", Flag),
    Column("is_locked", Flag),
    Column("created_time", Text),
    Column("last_edited_time", Text),
    Column("data_sources", Json),
    Column("icon", Json),
    Column("cover", Json),
    Column("url", Text),
    Column("public_url", Json),
    Column("after", Text),
    json_link("parent_page_id", "parent", "page_id", type="page_id"),
    json_link("parent_block_id", "parent", "block_id", type="block_id"),
    parents={"page": "parent_page_id", "block": "parent_block_id"},
)

DATA_SOURCE = TABLES.entity(
    "data_source",
    Column("object", Text),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("parent", Json),
    Column("database_parent", Json),
    Column("created_time", Text),
    Column("last_edited_time", Text),
    Column("created_by", Json),
    Column("last_edited_by", Json),
    Column("title", Json),
    Column("description", Json),
    Column("icon", Json),
    Column("cover", Json),
    Column("is_inline", Flag),
    Column("in_trash", Flag),
    Column("properties", Json),
    Column("url", Text),
    Column("public_url", Json),
    json_link("parent_database_id", "parent", "database_id", type="database_id"),
    parents={"database": "parent_database_id"},
)

COMMENT = TABLES.entity(
    "comment",
    Column("object", Text),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("parent", Json),
    Column("discussion_id", Text, index=True),
    Column("created_time", Text),
    Column("last_edited_time", Text),
    Column("created_by", Json),
    Column("rich_text", Json),
    Column("display_name", Json),
    json_link("parent_page_id", "parent", "page_id", type="page_id"),
    json_link("parent_block_id", "parent", "block_id", type="block_id"),
    parents={"page": "parent_page_id", "block": "parent_block_id"},
)

TABLES.link("page", {"block": "parent_block_id", "data_source": "parent_data_source_id"})


def _plain(rich_text: object) -> str:
    return "".join(str(run.get("plain_text", "")) for run in rich_text) if isinstance(rich_text, list) else ""


def _read_page(page: Object) -> str:
    """A page's title: its one property of that type."""
    properties = page.get("properties") or {}
    return next((_plain(p.get("title")) for p in properties.values() if isinstance(p, dict) and "title" in p), "")


def _read_block(block: Object) -> str:
    content = block.get(str(block.get("type")))
    return _plain(content.get("rich_text")) if isinstance(content, dict) else ""


_EDITED = frozenset({"created_time", "last_edited_time", "created_by", "last_edited_by"})

MEANING = Meaning(
    automatic={
        # An option is chosen by its name; its id and colour come with it.
        "page": _EDITED
        | {"url"}
        | {f"properties.*.{kind}.{what}" for kind in ("status", "select") for what in ("id", "color")},
        "block": _EDITED | {"has_children", "after"},
        "database": frozenset({"created_time", "last_edited_time", "url"}),
        "data_source": _EDITED | {"url"},
        "comment": _EDITED - {"last_edited_by"},
    },
    outward=frozenset({"comment"}),
    text={
        "page": _read_page,
        "block": _read_block,
        "comment": lambda row: _plain(row.get("rich_text")),
        "database": lambda row: _plain(row.get("title")),
    },
)
