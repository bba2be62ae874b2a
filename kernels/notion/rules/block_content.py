"""Content of each block type: members of a request, and their stored form.

Source: https://developers.notion.com/reference/block and the type definitions of
https://github.com/makenotion/notion-sdk-js. Children inside the content are separate blocks; see `blocks`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import ids, media, rich_text
from soundstage.kernels.notion.rules.code_languages import CODE_LANGUAGES
from soundstage.kernels.notion.rules.errors import invalid
from soundstage.kernels.notion.rules.validation import (
    OR_NULL,
    OR_UNDEFINED,
    array,
    boolean,
    choice,
    json_object,
    member,
    need_one,
    number,
    only,
    refuse,
    string,
)

Parse = Callable[[AppContext, Any, str], Any]
"""Converts a member of a request to its stored form and rejects invalid values."""


@dataclass(frozen=True, slots=True)
class Content:
    """One block type.

    A new block needs the members in `required`, and a change those in `update_required`; Notion adds those in `added`.
    """

    members: Mapping[str, Parse]
    required: tuple[str, ...] = ()
    added: Object = field(default_factory=dict)
    update_required: tuple[str, ...] = ()
    children: bool = False


def _color(context: AppContext, value: Any, path: str) -> str:
    return rich_text.color(value, path)


def _flag(context: AppContext, value: Any, path: str) -> bool:
    return boolean(value, path, OR_UNDEFINED)


def _url(context: AppContext, value: Any, path: str) -> str:
    return string(value, path, limit=rich_text.CONTENT_LIMIT)


def _expression(context: AppContext, value: Any, path: str) -> str:
    return string(value, path)


def _language(context: AppContext, value: Any, path: str) -> str:
    return choice(value, CODE_LANGUAGES, path, optional=False)


def _icon(context: AppContext, value: Any, path: str) -> Object | None:
    return media.icon(context, value, path)


def _width(context: AppContext, value: Any, path: str) -> int | float:
    width = number(value, path)
    if width < 1 or width != int(width):
        refuse(path, "≥ `1`", value)
    return width


def _ratio(context: AppContext, value: Any, path: str) -> int | float:
    return number(value, path, OR_UNDEFINED)


def _cells(context: AppContext, value: Any, path: str) -> list[list[Object]]:
    return [rich_text.parse(context, cell, f"{path}[{i}]") for i, cell in enumerate(array(value, path))]


def _synced_from(context: AppContext, value: Any, path: str) -> Object | None:
    if value is None:
        return None
    source = json_object(value, path, OR_NULL)
    only(source, ("type", "block_id"), path)
    return {"type": "block_id", "block_id": ids.need_uuid(member(source, "block_id", path), f"{path}.block_id")}


_TEXT: dict[str, Parse] = {"rich_text": rich_text.parse}
_COLORED: dict[str, Parse] = {**_TEXT, "color": _color}
_PLAIN_COLOR: Object = {"color": "default"}
_PROSE = Content(_COLORED, ("rich_text",), _PLAIN_COLOR, update_required=("rich_text",), children=True)
_HEADING = Content(
    {**_COLORED, "is_toggleable": _flag},
    ("rich_text",),
    {"is_toggleable": False, **_PLAIN_COLOR},
    update_required=("rich_text",),
    children=True,
)
_LINK = Content({"url": _url, "caption": rich_text.parse}, ("url",), {"caption": []})

CONTENTS: dict[str, Content] = {
    "embed": _LINK,
    "bookmark": _LINK,
    "code": Content(
        {**_TEXT, "language": _language, "caption": rich_text.parse}, ("rich_text", "language"), {"caption": []}
    ),
    "equation": Content({"expression": _expression}, ("expression",), update_required=("expression",)),
    "divider": Content({}),
    "breadcrumb": Content({}),
    "table_of_contents": Content({"color": _color}, (), _PLAIN_COLOR),
    "table_row": Content({"cells": _cells}, ("cells",), update_required=("cells",)),
    "table": Content(
        {"table_width": _width, "has_column_header": _flag, "has_row_header": _flag},
        ("table_width", "children"),
        {"has_column_header": False, "has_row_header": False},
        children=True,
    ),
    "column_list": Content({}, ("children",), children=True),
    "column": Content({"width_ratio": _ratio}, ("children",), children=True),
    "heading_1": _HEADING,
    "heading_2": _HEADING,
    "heading_3": _HEADING,
    "heading_4": _HEADING,
    "paragraph": Content({**_COLORED, "icon": _icon}, ("rich_text",), _PLAIN_COLOR, children=True),
    "bulleted_list_item": _PROSE,
    "numbered_list_item": _PROSE,
    "quote": _PROSE,
    "to_do": Content({**_COLORED, "checked": _flag}, ("rich_text",), {"checked": False, **_PLAIN_COLOR}, children=True),
    "toggle": _PROSE,
    "template": Content(_TEXT, ("rich_text",), update_required=("rich_text",), children=True),
    "callout": Content({**_COLORED, "icon": _icon}, ("rich_text",), {**_PLAIN_COLOR, "icon": None}, children=True),
    "synced_block": Content(
        {"synced_from": _synced_from}, ("synced_from",), update_required=("synced_from",), children=True
    ),
}
MEDIA = ("image", "video", "pdf", "file", "audio")
WRITABLE = frozenset((*CONTENTS, *MEDIA, "link_to_page"))
CHANGEABLE = WRITABLE - {"column_list"}
# Every type, in the order of the API's list for a new block without a type.
LISTED = (
    "embed", "bookmark", "image", "video", "pdf", "file", "audio", "code", "equation", "divider", "breadcrumb", "tab",
    "table_of_contents", "link_to_page", "table_row", "ai_block", "meeting_notes", "custom_block", "table",
    "column_list", "column", "heading_1", "heading_2", "heading_3", "heading_4", "paragraph", "bulleted_list_item",
    "numbered_list_item", "quote", "to_do", "toggle", "template", "callout", "synced_block",
)  # fmt: skip


def can_have_children(kind: str) -> bool:
    """Return whether blocks of a type can have children."""
    return kind in CONTENTS and CONTENTS[kind].children


def parse_new(context: AppContext, kind: str, value: Any, path: str) -> Object:
    """Return a new block's content; its `children` are handled by the caller.

    Raises:
        NotionError: In the words of the API's validation.
    """
    sent = json_object(value, path)
    if kind in MEDIA:
        return media.parse(context, sent, path, named=kind == "file")
    if kind == "link_to_page":
        return _link_to_page(sent, path)
    content = CONTENTS[kind]
    for name in content.required:
        member(sent, name, path)
    stored = _members(context, content, sent, path, children=content.children)
    return {**stored, **{name: value for name, value in content.added.items() if name not in stored}}


def parse_changes(context: AppContext, kind: str, value: Any, path: str) -> Object:
    """Return the members of a block's content that a request changes.

    Raises:
        NotionError: In the words of the API's validation.
    """
    sent = json_object(value, path)
    if kind in MEDIA:
        return media.parse_changes(context, sent, path, named=kind == "file")
    if kind == "link_to_page":
        return _link_to_page(sent, path)
    content = CONTENTS[kind]
    for name in content.update_required:
        member(sent, name, path)
    if "table_width" in sent:
        refuse(f"{path}.table_width", "not present", sent["table_width"])
    return _members(context, content, sent, path, children=False)


def check_row(row: Object, width: Any) -> None:
    """Require that a table row is as wide as the table.

    Raises:
        NotionError: The row has another width.
    """
    if len(row["cells"]) != width:
        raise invalid("Number of cells in table row must match the table width of the parent table.")


def _members(context: AppContext, content: Content, sent: Object, path: str, *, children: bool) -> Object:
    only(sent, (*content.members, "children") if children else tuple(content.members), path)
    return {
        name: content.members[name](context, value, f"{path}.{name}")
        for name, value in sent.items()
        if name in content.members
    }


def _link_to_page(sent: Object, path: str) -> Object:
    kinds = ("page_id", "database_id", "comment_id")
    kind = next((kind for kind in kinds if kind in sent), None)
    if kind is None:
        need_one(path, kinds)
    only(sent, ("type", kind), path)
    return {"type": kind, kind: ids.need_uuid(sent[kind], f"{path}.{kind}")}
