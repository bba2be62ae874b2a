"""Notion's entities, with the field names of its API at version 2026-03-11.

The parent of an object is inside its `parent` object; SQLite derives the links from it. Columns are in the order in
which the API sends the fields. Nullable fields are JSON columns, so that a null is preserved.
"""

from __future__ import annotations

from sqlalchemy import Column, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, Object, id_format, json_link
from soundstage.contexts.engine.shapes import Shape, shape

TABLES = AppTables("notion")

_WHO = {"object": str, "id": str}
_LINK = {"url": str}
_DATE = {"start": str, "end": (str, None), "time_zone": (str, None)}
_TEXT = [
    {
        "type": str,
        "text": {"content": str, "link": (_LINK, None)},
        "mention": {"type": str, "date": _DATE, ...: (dict, str)},
        "equation": {"expression": str},
        "annotations": {"color": str, ...: bool},
        "plain_text": str,
        "href": (str, None),
    }
]
_BOT = {"owner": {"type": str, "workspace": bool, "user": dict}, "workspace_name": (str, None)}
_PARENT = {
    "type": str,
    "workspace": bool,
    "database_id": (str, None),
    **dict.fromkeys(("page_id", "block_id", "data_source_id"), str),
}
_FILE = {"type": str, "name": str, "external": _LINK, "file": _LINK}
_COVER = (_FILE, None)
_ICON = ({**_FILE, "emoji": str, "icon": dict, "custom_emoji": dict}, None)
_OPTION = {"id": str, "name": str, "color": str, "description": (str, None)}
# The value of a page's property: `id`, `type` and the member that the type names.
_VALUE: Shape = {
    **dict.fromkeys(("id", "type"), str),
    **dict.fromkeys(("title", "rich_text"), _TEXT),
    **dict.fromkeys(("number",), (float, None)),
    **dict.fromkeys(("select", "status"), (_OPTION, None)),
    "multi_select": [_OPTION],
    "date": (_DATE, None),
    "people": [_WHO],
    "files": [_FILE],
    "checkbox": bool,
    **dict.fromkeys(("url", "email", "phone_number", "created_time", "last_edited_time"), (str, None)),
    **dict.fromkeys(("created_by", "last_edited_by"), (_WHO, None)),
    "relation": [{"id": str}],
    "formula": {
        "type": str,
        "boolean": (bool, None),
        "date": (_DATE, None),
        "number": (float, None),
        "string": (str, None),
    },
    "rollup": {"type": str, "function": str, "array": [lambda: _VALUE], "date": (_DATE, None), "number": (float, None)},
    "unique_id": {"number": (int, None), "prefix": (str, None)},
    "verification": (dict, None),
}
# A data source's property: its name and the member that its type names, with the configuration.
_PROPERTY = {
    **dict.fromkeys(("id", "name", "type"), str),
    "description": (str, None),
    "number": {"format": str},
    "select": {"options": [_OPTION]},
    "multi_select": {"options": [_OPTION]},
    "status": {"options": [_OPTION], "groups": [{"id": str, "name": str, "color": str, "option_ids": [str]}]},
    "formula": {"expression": str},
    "relation": {
        "database_id": (str, None),
        "data_source_id": str,
        "type": str,
        "single_property": dict,
        "dual_property": dict,
    },
    "rollup": {"function": str, ...: str},
    "unique_id": {"prefix": (str, None)},
}
# The content of a block of any type, stored under the name of the type.
_CONTENT = {
    **dict.fromkeys(("rich_text", "caption"), _TEXT),
    **dict.fromkeys(("color", "language", "type", "name"), str),
    **dict.fromkeys(("checked", "is_toggleable", "has_column_header", "has_row_header"), bool),
    "table_width": int,
    "cells": [_TEXT],
    "icon": _ICON,
    **dict.fromkeys(("external", "file"), _LINK),
}

# Options of the server process by name, such as NOTION_MARKDOWN_CONVERSION. Options without a row are not set.
SETTING = TABLES.entity("setting", Column("name", Text, primary_key=True), Column("value", Text))

# The connection whose token the server holds; without a row it may do everything. `bot_id` names its user. A connection
# with a `user_id` belongs to that person; all other people act through the one without.
INTEGRATION = TABLES.entity(
    "integration",
    Column("token", Text, primary_key=True, info=id_format("ntn_{alnum:46}")),
    Column("name", Text),
    Column("bot_id", Text),
    Column("capabilities", Json, info=shape(([str], None))),
    Column("user_id", Text),
)

USER = TABLES.entity(
    "user",
    Column("object", Text),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("name", Text),
    Column("avatar_url", Json, info=shape((str, None))),
    Column("type", Text),
    Column("person", Json, info=shape({"email": str})),
    Column("bot", Json, info=shape(_BOT)),
)

PAGE = TABLES.entity(
    "page",
    Column("object", Text),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("created_time", Text),
    Column("last_edited_time", Text),
    Column("created_by", Json, info=shape(_WHO)),
    Column("last_edited_by", Json, info=shape(_WHO)),
    Column("cover", Json, info=shape(_COVER)),
    Column("icon", Json, info=shape(_ICON)),
    Column("parent", Json, info=shape(_PARENT)),
    Column("in_trash", Flag),
    Column("is_locked", Flag),
    Column("properties", Json, info=shape({...: _VALUE})),
    Column("url", Text),
    Column("public_url", Json, info=shape((str, None))),
    json_link("parent_page_id", "parent", "page_id", type="page_id"),
    json_link("parent_block_id", "parent", "block_id", type="block_id"),
    json_link("parent_data_source_id", "parent", "data_source_id", type="data_source_id"),
    parents={"page": "parent_page_id"},
)

# A block's content is the field named like its type; there are about forty types, none of which is declared. `after` is
# the sibling that a child was placed behind (its parent's id: at the start); see `kernels/notion/rules/children.py`.
BLOCK = TABLES.entity(
    "block",
    Column("object", Text),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("parent", Json, info=shape(_PARENT)),
    Column("created_time", Text),
    Column("last_edited_time", Text),
    Column("created_by", Json, info=shape(_WHO)),
    Column("last_edited_by", Json, info=shape(_WHO)),
    Column("has_children", Flag),
    Column("in_trash", Flag),
    Column("type", Text),
    Column("after", Text),
    json_link("parent_page_id", "parent", "page_id", type="page_id"),
    json_link("parent_block_id", "parent", "block_id", type="block_id"),
    parents={"page": "parent_page_id", "block": "parent_block_id"},
    open_fields=True,
    open_shape={"archived": bool, ...: _CONTENT},
)

DATABASE = TABLES.entity(
    "database",
    Column("object", Text),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("title", Json, info=shape(_TEXT)),
    Column("description", Json, info=shape(_TEXT)),
    Column("parent", Json, info=shape(_PARENT)),
    Column("is_inline", Flag),
    Column("in_trash", Flag),
    Column("is_locked", Flag),
    Column("created_time", Text),
    Column("last_edited_time", Text),
    Column("data_sources", Json, info=shape([{"id": str, "name": str}])),
    Column("icon", Json, info=shape(_ICON)),
    Column("cover", Json, info=shape(_COVER)),
    Column("url", Text),
    Column("public_url", Json, info=shape((str, None))),
    Column("after", Text),
    json_link("parent_page_id", "parent", "page_id", type="page_id"),
    json_link("parent_block_id", "parent", "block_id", type="block_id"),
    parents={"page": "parent_page_id", "block": "parent_block_id"},
)

DATA_SOURCE = TABLES.entity(
    "data_source",
    Column("object", Text),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("parent", Json, info=shape(_PARENT)),
    Column("database_parent", Json, info=shape(_PARENT)),
    Column("created_time", Text),
    Column("last_edited_time", Text),
    Column("created_by", Json, info=shape(_WHO)),
    Column("last_edited_by", Json, info=shape(_WHO)),
    Column("title", Json, info=shape(_TEXT)),
    Column("description", Json, info=shape(_TEXT)),
    Column("icon", Json, info=shape(_ICON)),
    Column("cover", Json, info=shape(_COVER)),
    Column("is_inline", Flag),
    Column("in_trash", Flag),
    Column("properties", Json, info=shape({...: _PROPERTY})),
    Column("url", Text),
    Column("public_url", Json, info=shape((str, None))),
    json_link("parent_database_id", "parent", "database_id", type="database_id"),
    parents={"database": "parent_database_id"},
)

COMMENT = TABLES.entity(
    "comment",
    Column("object", Text),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("parent", Json, info=shape(_PARENT)),
    Column("discussion_id", Text, index=True),
    Column("created_time", Text),
    Column("last_edited_time", Text),
    Column("created_by", Json, info=shape(_WHO)),
    Column("rich_text", Json, info=shape(_TEXT)),
    Column("display_name", Json, info=shape({"type": str, "resolved_name": (str, None)})),
    json_link("parent_page_id", "parent", "page_id", type="page_id"),
    json_link("parent_block_id", "parent", "block_id", type="block_id"),
    parents={"page": "parent_page_id", "block": "parent_block_id"},
)

TABLES.link("page", {"block": "parent_block_id", "data_source": "parent_data_source_id"})


def _plain(rich_text: object) -> str:
    return "".join(str(run.get("plain_text", "")) for run in rich_text) if isinstance(rich_text, list) else ""


def _read_page(page: Object) -> str:
    """Return a page's title: its only property of that type."""
    properties = page.get("properties") or {}
    return next((_plain(p.get("title")) for p in properties.values() if isinstance(p, dict) and "title" in p), "")


def _read_block(block: Object) -> str:
    content = block.get(str(block.get("type")))
    return _plain(content.get("rich_text")) if isinstance(content, dict) else ""


_EDITED = frozenset({"created_time", "last_edited_time", "created_by", "last_edited_by"})

MEANING = Meaning(
    automatic={
        # An option is selected by name; Notion adds its id and colour.
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
