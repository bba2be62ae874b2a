"""Notion's rows from the content of a world."""

from __future__ import annotations

from typing import Any

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

_NULL = fill.always(None)


def _user(name: str) -> fill.Filler:
    return fill.shape(object="user", id=fill.key(name))


def _emoji(name: str) -> fill.Filler:
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


def _mention(kind: str, target: fill.Filler, shown: Any, href: Any) -> fill.Filler:
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

# The content of a block, under the name of its type, by the form of the world's block.
_PROSE: dict[str, Any] = {"rich_text": _RICH_TEXT, "color": "default"}
_CODE = fill.shape(
    type="text", text=fill.shape(content=fill.of("text"), link=_NULL), annotations=_LOOK, plain_text=fill.of("text"),
    href=_NULL,
)  # fmt: skip
_BLOCKS: dict[str, tuple[str, fill.Filler]] = {
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

# The columns of a table: the property's type, its configuration and its value in a row.
_COLORS = ("gray", "blue", "green", "orange", "purple", "pink", "yellow", "red", "brown")


def _option(name: str, **more: Any) -> fill.Filler:
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
_PROPERTIES: dict[str, tuple[str, fill.Filler, fill.Filler]] = {
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


def _declared(identifier: Any, kind: str, config: fill.Filler) -> fill.Filler:
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


def _on_page(name: str) -> fill.Filler:
    return fill.shape(type="page_id", page_id=fill.key(name))


# A row of a table is also a page.
_IN_TABLE = fill.shape(type="data_source_id", data_source_id=fill.key("table"), database_id=fill.key("table.base"))
_EDITED = fill.moment("edited", "iso", otherwise=fill.moment("at", "iso"))

ROWS = {
    "setting": Rows(),
    "integration": Rows(
        made_from="self",
        columns={
            "name": fill.of("bot.name"),
            "bot_id": fill.key("bot"),
        },
    ),
    "user": Rows(
        made_from=("person", "bot"),
        columns={
            "object": fill.always("user"),
            "avatar_url": _NULL,
            "type": fill.case("kind", {"bot": "bot"}, "person"),
            "person": fill.case("kind", {"person": fill.shape(email=fill.of("email"))}),
            "bot": fill.case(
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
        },
    ),
    "page": Rows(
        made_from=("page", "record"),
        link="https://www.notion.so/{title|slug}{id|bare}",
        columns={
            "object": fill.always("page"),
            "created_time": fill.moment("at", "iso"),
            "last_edited_time": _EDITED,
            "created_by": _user("by"),
            "last_edited_by": _user("edited_by"),
            "cover": _NULL,
            "icon": _emoji("icon"),
            "parent": fill.case(
                "table", {"present": _IN_TABLE}, fill.case("parent", {"present": _on_page("parent")}, _WORKSPACE)
            ),
            "in_trash": fill.always(False),
            "is_locked": fill.always(False),
            "properties": fill.case(
                "table", {"present": fill.entries("cells", over="table.columns", value=_VALUE)}, _TITLE
            ),
            "url": fill.form("https://www.notion.so/{title|slug}{id|bare}"),
            "public_url": _NULL,
        },
    ),
    "block": Rows(
        columns={
            "object": fill.always("block"),
            "parent": fill.case(
                "parent", {"present": fill.shape(type="block_id", block_id=fill.key("parent"))}, _on_page("page")
            ),
            "created_time": fill.moment("at", "iso"),
            "last_edited_time": _EDITED,
            "created_by": _user("by"),
            "last_edited_by": _user("edited_by"),
            "has_children": fill.count("block", "parent", as_flag=True),
            "in_trash": fill.always(False),
            "type": fill.case("form", {form: kind for form, (kind, _) in _BLOCKS.items()}),
            "after": None,
        },
        beside={
            "type": fill.case(
                "form", {form: fill.shape(**{kind: content}) for form, (kind, content) in _BLOCKS.items()}
            ),
        },
    ),
    "database": Rows(
        made_from="base",
        link="https://www.notion.so/{id|bare}",
        columns={
            "object": fill.always("database"),
            "title": fill.pieces("title", _PIECE),
            "description": fill.pieces("text", _PIECE),
            "parent": fill.case("parent", {"present": _on_page("parent")}, _WORKSPACE),
            "is_inline": fill.always(False),
            "in_trash": fill.always(False),
            "is_locked": fill.always(False),
            "created_time": fill.moment("at", "iso"),
            "last_edited_time": _EDITED,
            "data_sources": fill.items("tables", fill.shape(id=fill.key("it"), name=fill.of("it.title"))),
            "icon": _emoji("icon"),
            "cover": _NULL,
            "url": fill.form("https://www.notion.so/{id|bare}"),
            "public_url": _NULL,
            "after": None,
        },
    ),
    "data_source": Rows(
        made_from="table",
        link="{url}",
        columns={
            "object": fill.always("data_source"),
            "parent": fill.shape(type="database_id", database_id=fill.key("base")),
            "database_parent": fill.case("base.parent", {"present": _on_page("base.parent")}, _WORKSPACE),
            "created_time": fill.moment("at", "iso"),
            "last_edited_time": _EDITED,
            "created_by": _user("base.owner"),
            "last_edited_by": _user("base.owner"),
            "title": fill.pieces("title", _PIECE),
            "description": fill.always([]),
            "icon": _NULL,
            "cover": _NULL,
            "is_inline": fill.always(False),
            "in_trash": fill.always(False),
            "properties": fill.entries("cells", over="columns", value=_SCHEMA),
            "url": fill.form("https://www.notion.so/{database|bare}", database=fill.key("base")),
            "public_url": _NULL,
        },
    ),
    "comment": Rows(
        columns={
            "object": fill.always("comment"),
            "parent": fill.case(
                "on.kind", {"block": fill.shape(type="block_id", block_id=fill.key("on"))}, _on_page("on")
            ),
            "discussion_id": fill.random("{uuid4}", per="answers"),
            "created_time": fill.moment("at", "iso"),
            "last_edited_time": fill.moment("at", "iso"),
            "created_by": _user("by"),
            "rich_text": _RICH_TEXT,
            "display_name": fill.shape(type="user", resolved_name=fill.of("by.name")),
        },
    ),
}
