"""Notion's entities, with the field names of its API at version 2026-03-11.

What an object hangs on is inside its `parent` object there; SQLite derives the links from it. Columns stand in the
order in which the API sends the fields. Nullable fields are JSON columns, so that a null stays one.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Text

from soundstage.contexts.engine import fill
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format, json_link

TABLES = AppTables("notion")

# How Notion words what a world is made of. The tables' columns below say which of these they take.

_NULL = fill.always(None)


def _user(name: str) -> fill.Info:
    return fill.shape(object="user", id=fill.key(name))


def _emoji(name: str) -> fill.Info:
    return fill.case(name, {"present": fill.shape(type="emoji", emoji=fill.of(name))}, _NULL)


_LOOK = fill.shape(
    bold=fill.of("it.bold", False), italic=fill.of("it.italic", False), strikethrough=fill.of("it.strike", False),
    underline=False, code=fill.of("it.code", False), color="default",
)  # fmt: skip
_PLAIN = fill.shape(
    type="text",
    text=fill.shape(
        content=fill.of("it.text"),
        link=fill.case("it.url", {"present": fill.shape(url=fill.of("it.url"))}, _NULL),
    ),
    annotations=_LOOK,
    plain_text=fill.of("it.text"),
    href=fill.of("it.url", _NULL),
)


def _mention(kind: str, target: fill.Info, shown: Any, href: Any) -> fill.Info:
    mention = fill.shape(type=kind, **{kind: target})
    return fill.shape(type="mention", mention=mention, annotations=_LOOK, plain_text=shown, href=href)


_PLACE = fill.shape(id=fill.key("it.target"))
_HREF = fill.form("https://www.notion.so/{target|bare}", target=fill.key("it.target"))
_PAGE_MENTION = _mention("page", _PLACE, fill.of("it.text"), _HREF)
_MENTIONED = {
    "page": _PAGE_MENTION,
    "record": _PAGE_MENTION,
    "base": _mention("database", _PLACE, fill.of("it.text"), _HREF),
}
_PIECE = fill.case(
    "it.form",
    {
        "mention": _mention("user", _user("it.target"), fill.form("@{name}", name=fill.of("it.text")), _NULL),
        "link": fill.case("it.here", {True: fill.case("it.target.kind", _MENTIONED, _PLAIN)}, _PLAIN),
    },
    _PLAIN,
)
_RICH_TEXT = fill.pieces("text", _PIECE)

# What a block holds, under the name of its type, by the form of the world's block.
_PROSE: dict[str, Any] = {"rich_text": _RICH_TEXT, "color": "default"}
_CODE = fill.shape(
    type="text", text=fill.shape(content=fill.of("text"), link=_NULL), annotations=_LOOK, plain_text=fill.of("text"),
    href=_NULL,
)  # fmt: skip
_BLOCKS: dict[str, tuple[str, fill.Info]] = {
    "paragraph": ("paragraph", fill.shape(**_PROSE)),
    "heading_1": ("heading_1", fill.shape(**_PROSE, is_toggleable=False)),
    "heading_2": ("heading_2", fill.shape(**_PROSE, is_toggleable=False)),
    "heading_3": ("heading_3", fill.shape(**_PROSE, is_toggleable=False)),
    "bulleted": ("bulleted_list_item", fill.shape(**_PROSE)),
    "numbered": ("numbered_list_item", fill.shape(**_PROSE)),
    "todo": ("to_do", fill.shape(**_PROSE, checked=fill.of("checked"))),
    "toggle": ("toggle", fill.shape(**_PROSE)),
    "quote": ("quote", fill.shape(**_PROSE)),
    "callout": (
        "callout",
        fill.shape(
            rich_text=_RICH_TEXT,
            icon=_emoji("icon"),
            color=fill.case("color", {"present": fill.form("{color}_background")}, "gray_background"),
        ),
    ),
    "code": ("code", fill.shape(caption=fill.always([]), rich_text=fill.several(_CODE), language=fill.of("language"))),
    "table": (
        "table",
        fill.shape(table_width=fill.of("width"), has_column_header=fill.of("header"), has_row_header=False),
    ),
    "row": ("table_row", fill.shape(cells=fill.items("cells", fill.pieces("it", _PIECE)))),
    "divider": ("divider", fill.shape()),
}

# A table's columns: the property's type, its configuration, and the value that a row has in it.
_COLORS = ("gray", "blue", "green", "orange", "purple", "pink", "yellow", "red", "brown")


def _option(name: str, **more: Any) -> fill.Info:
    color = fill.of(f"{name}.color", fill.case(f"{name}.number", dict(enumerate(_COLORS)), "default"))
    return fill.shape(id=fill.of(f"{name}.uid"), name=fill.of(f"{name}.name"), color=color, **more)


_OPTIONS = fill.items("it.of.choices", _option("it", description=_NULL))
_GROUPS = fill.items(
    "it.of.grouped",
    fill.shape(
        id=fill.random("{uuid4}"),
        name=fill.of("it.name"),
        color=fill.case("it.name", {"To-do": "gray", "In progress": "blue"}, "green"),
        option_ids=fill.items("it.options", fill.of("it.uid")),
    ),
)
_RELATION = fill.shape(
    database_id=fill.key("it.of.target.base"), data_source_id=fill.key("it.of.target"), type="single_property",
    single_property=fill.shape(),
)  # fmt: skip
_NUMBER = fill.of("it.value", _NULL)
_CHOSEN = fill.case("it.option", {"present": _option("it.option")}, _NULL)
_DATE = fill.shape(
    start=fill.case("it.of.time", {True: fill.moment("it.value", "local")}, fill.moment("it.value", "date")),
    end=_NULL,
    time_zone=_NULL,
)
_PROPERTIES: dict[str, tuple[str, fill.Info, fill.Info]] = {
    "text": ("rich_text", fill.shape(), fill.pieces("it.value", _PIECE)),
    "number": ("number", fill.always({"format": "number"}), _NUMBER),
    "progress": ("number", fill.always({"format": "percent"}), _NUMBER),
    "money": ("number", fill.always({"format": "yuan"}), _NUMBER),
    "select": ("select", fill.shape(options=_OPTIONS), _CHOSEN),
    "status": ("status", fill.shape(options=_OPTIONS, groups=_GROUPS), _CHOSEN),
    "choices": ("multi_select", fill.shape(options=_OPTIONS), fill.items("it.options", _option("it"))),
    "date": ("date", fill.shape(), fill.case("it.value", {"present": _DATE}, _NULL)),
    "flag": ("checkbox", fill.shape(), fill.of("it.value", False)),
    "people": ("people", fill.shape(), fill.items("it.value", _user("it"))),
    "link": ("url", fill.shape(), fill.case("it.value", {"present": fill.text("it.value.target")}, _NULL)),
    "records": ("relation", _RELATION, fill.items("it.value", fill.shape(id=fill.key("it")))),
    "made": ("created_time", fill.shape(), fill.moment("at", "iso")),
    "edited": ("last_edited_time", fill.shape(), fill.moment("edited", "iso")),
}
_PROPERTY_ID = fill.once("property", "%3A{lower:3}", per="it.of")


def _declared(identifier: Any, kind: str, config: fill.Info) -> fill.Info:
    return fill.shape(id=identifier, name=fill.of("it.of.name"), description=_NULL, type=kind, **{kind: config})


_SCHEMA = fill.case(
    "it.of.first",
    {True: _declared("title", "title", fill.shape())},
    fill.case("it.of.type", {n: _declared(_PROPERTY_ID, kind, config) for n, (kind, config, _) in _PROPERTIES.items()}),
)
_VALUE = fill.case(
    "it.of.first",
    {True: fill.shape(id="title", type="title", title=fill.pieces("it.value", _PIECE))},
    fill.case(
        "it.of.type",
        {n: fill.shape(id=_PROPERTY_ID, type=kind, **{kind: value}) for n, (kind, _, value) in _PROPERTIES.items()},
    ),
)
_TITLE = fill.shape(title=fill.shape(id="title", type="title", title=fill.pieces("title", _PIECE)))

_WORKSPACE = fill.shape(type="workspace", workspace=True)


def _on_page(name: str) -> fill.Info:
    return fill.shape(type="page_id", page_id=fill.key(name))


# A row of a table is a page, too.
_IN_TABLE = fill.shape(type="data_source_id", data_source_id=fill.key("table"), database_id=fill.key("table.base"))
_EDITED = fill.moment("edited", "iso", otherwise=fill.moment("at", "iso"))

# The option of the server process that `name` is called by, such as NOTION_MARKDOWN_CONVERSION; without a row it is
# not set.
SETTING = TABLES.entity(
    "setting",
    Column("name", Text, primary_key=True),
    Column("value", Text),
)

# The connection whose token the server holds. Without a row it may do everything. `bot_id` names its user. One with a
# `user_id` is that person's own; everybody else acts through the one without.
INTEGRATION = TABLES.entity(
    "integration",
    Column("token", Text, primary_key=True, info=id_format("ntn_{alnum:46}")),
    Column("name", Text, info=fill.of("bot.name")),
    Column("bot_id", Text, info=fill.key("bot")),
    Column("capabilities", Json),
    Column("user_id", Text),
    made_from="self",
)

USER = TABLES.entity(
    "user",
    Column("object", Text, info=fill.always("user")),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("name", Text),
    Column("avatar_url", Json, info=_NULL),
    Column("type", Text, info=fill.case("kind", {"bot": "bot"}, "person")),
    Column("person", Json, info=fill.case("kind", {"person": fill.shape(email=fill.of("email"))})),
    Column(
        "bot",
        Json,
        info=fill.case(
            "kind",
            {
                "bot": fill.shape(
                    owner=_WORKSPACE,
                    workspace_name=fill.of("world.name"),
                    workspace_id=fill.once("workspace", "{uuid4}"),
                    workspace_limits=fill.always({"max_file_upload_size_in_bytes": 5368709120}),
                )
            },
        ),
    ),
    made_from=("person", "bot"),
)

PAGE = TABLES.entity(
    "page",
    Column("object", Text, info=fill.always("page")),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("created_time", Text, info=fill.moment("at", "iso")),
    Column("last_edited_time", Text, info=_EDITED),
    Column("created_by", Json, info=_user("by")),
    Column("last_edited_by", Json, info=_user("edited_by")),
    Column("cover", Json, info=_NULL),
    Column("icon", Json, info=_emoji("icon")),
    Column(
        "parent",
        Json,
        info=fill.case(
            "table", {"present": _IN_TABLE}, fill.case("parent", {"present": _on_page("parent")}, _WORKSPACE)
        ),
    ),
    Column("in_trash", Flag, info=fill.always(False)),
    Column("is_locked", Flag, info=fill.always(False)),
    Column(
        "properties",
        Json,
        info=fill.case("table", {"present": fill.entries("cells", over="table.columns", value=_VALUE)}, _TITLE),
    ),
    Column("url", Text, info=fill.form("https://www.notion.so/{title|slug}{id|bare}")),
    Column("public_url", Json, info=_NULL),
    json_link("parent_page_id", "parent", "page_id", type="page_id"),
    json_link("parent_block_id", "parent", "block_id", type="block_id"),
    json_link("parent_data_source_id", "parent", "data_source_id", type="data_source_id"),
    parents={"page": "parent_page_id"},
    made_from=("page", "record"),
    link="https://www.notion.so/{title|slug}{id|bare}",
)

# A block's content is the field named like its type, of which there are some forty: none is declared.
# `after` is the sibling behind which a child was put (its parent's id: at the start); see `kernels/notion/rules/children.py`.
BLOCK = TABLES.entity(
    "block",
    Column("object", Text, info=fill.always("block")),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column(
        "parent",
        Json,
        info=fill.case(
            "parent", {"present": fill.shape(type="block_id", block_id=fill.key("parent"))}, _on_page("page")
        ),
    ),
    Column("created_time", Text, info=fill.moment("at", "iso")),
    Column("last_edited_time", Text, info=_EDITED),
    Column("created_by", Json, info=_user("by")),
    Column("last_edited_by", Json, info=_user("edited_by")),
    Column("has_children", Flag, info=fill.count("block", "parent", as_flag=True)),
    Column("in_trash", Flag, info=fill.always(False)),
    Column(
        "type",
        Text,
        info=fill.beside(
            fill.case("form", {form: kind for form, (kind, _) in _BLOCKS.items()}),
            fill.case("form", {form: fill.shape(**{kind: content}) for form, (kind, content) in _BLOCKS.items()}),
        ),
    ),
    Column("after", Text, info=fill.info(None)),
    json_link("parent_page_id", "parent", "page_id", type="page_id"),
    json_link("parent_block_id", "parent", "block_id", type="block_id"),
    parents={"page": "parent_page_id", "block": "parent_block_id"},
    open_fields=True,
)

DATABASE = TABLES.entity(
    "database",
    Column("object", Text, info=fill.always("database")),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("title", Json, info=fill.pieces("title", _PIECE)),
    Column("description", Json, info=fill.pieces("text", _PIECE)),
    Column("parent", Json, info=fill.case("parent", {"present": _on_page("parent")}, _WORKSPACE)),
    Column("is_inline", Flag, info=fill.always(False)),
    Column("in_trash", Flag, info=fill.always(False)),
    Column("is_locked", Flag, info=fill.always(False)),
    Column("created_time", Text, info=fill.moment("at", "iso")),
    Column("last_edited_time", Text, info=_EDITED),
    Column("data_sources", Json, info=fill.items("tables", fill.shape(id=fill.key("it"), name=fill.of("it.title")))),
    Column("icon", Json, info=_emoji("icon")),
    Column("cover", Json, info=_NULL),
    Column("url", Text, info=fill.form("https://www.notion.so/{id|bare}")),
    Column("public_url", Json, info=_NULL),
    Column("after", Text, info=fill.info(None)),
    json_link("parent_page_id", "parent", "page_id", type="page_id"),
    json_link("parent_block_id", "parent", "block_id", type="block_id"),
    parents={"page": "parent_page_id", "block": "parent_block_id"},
    made_from="base",
    link="https://www.notion.so/{id|bare}",
)

DATA_SOURCE = TABLES.entity(
    "data_source",
    Column("object", Text, info=fill.always("data_source")),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("parent", Json, info=fill.shape(type="database_id", database_id=fill.key("base"))),
    Column("database_parent", Json, info=fill.case("base.parent", {"present": _on_page("base.parent")}, _WORKSPACE)),
    Column("created_time", Text, info=fill.moment("at", "iso")),
    Column("last_edited_time", Text, info=_EDITED),
    Column("created_by", Json, info=_user("base.owner")),
    Column("last_edited_by", Json, info=_user("base.owner")),
    Column("title", Json, info=fill.pieces("title", _PIECE)),
    Column("description", Json, info=fill.always([])),
    Column("icon", Json, info=_NULL),
    Column("cover", Json, info=_NULL),
    Column("is_inline", Flag, info=fill.always(False)),
    Column("in_trash", Flag, info=fill.always(False)),
    Column("properties", Json, info=fill.entries("cells", over="columns", value=_SCHEMA)),
    Column("url", Text, info=fill.form("https://www.notion.so/{database|bare}", database=fill.key("base"))),
    Column("public_url", Json, info=_NULL),
    json_link("parent_database_id", "parent", "database_id", type="database_id"),
    parents={"database": "parent_database_id"},
    made_from="table",
    link="{url}",
)

COMMENT = TABLES.entity(
    "comment",
    Column("object", Text, info=fill.always("comment")),
    Column("id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column(
        "parent",
        Json,
        info=fill.case("on.kind", {"block": fill.shape(type="block_id", block_id=fill.key("on"))}, _on_page("on")),
    ),
    Column("discussion_id", Text, index=True, info=fill.random("{uuid4}", per="answers")),
    Column("created_time", Text, info=fill.moment("at", "iso")),
    Column("last_edited_time", Text, info=fill.moment("at", "iso")),
    Column("created_by", Json, info=_user("by")),
    Column("rich_text", Json, info=_RICH_TEXT),
    Column("display_name", Json, info=fill.shape(type="user", resolved_name=fill.of("by.name"))),
    json_link("parent_page_id", "parent", "page_id", type="page_id"),
    json_link("parent_block_id", "parent", "block_id", type="block_id"),
    parents={"page": "parent_page_id", "block": "parent_block_id"},
)

TABLES.link("page", {"block": "parent_block_id", "data_source": "parent_data_source_id"})
