"""Rich text: validation, stored form and plain text."""

from __future__ import annotations

import re
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import dates, ids
from soundstage.kernels.notion.rules.errors import invalid
from soundstage.kernels.notion.rules.validation import (
    OR_UNDEFINED,
    array,
    boolean,
    choice,
    json_object,
    member,
    need_one,
    only,
    string,
)

ITEMS_LIMIT = 100
CONTENT_LIMIT = 2000
_EQUATION_LIMIT = 1000
_KINDS = ("text", "mention", "equation")
_STYLES = ("bold", "italic", "strikethrough", "underline", "code")
_HUES = ("default", "gray", "brown", "orange", "yellow", "green", "blue", "purple", "pink", "red")
COLORS = (*_HUES, *(f"{hue}_background" for hue in _HUES))
_LINK = re.compile(r"(/|[a-z][a-z0-9+.-]*:)\S+", re.IGNORECASE)


def parse(context: AppContext, value: Any, path: str, alternative: str = "") -> list[Object]:
    """Return the rich text of a request, validated and in Notion's form.

    Raises:
        NotionError: In the words of the API's validation.
    """
    items = array(value, path, alternative, limit=ITEMS_LIMIT)
    return [_item(context, item, f"{path}[{i}]") for i, item in enumerate(items)]


def plain(items: Any) -> str:
    """Return the plain text of stored rich text."""
    if not isinstance(items, list):
        return ""
    return "".join(str(item.get("plain_text", "")) for item in items if isinstance(item, dict))


def of_text(text: str) -> list[Object]:
    """Return a request's rich text for a plain text, as the server's convenience tools send it."""
    return [{"type": "text", "text": {"content": text}, "plain_text": text}]


def color(value: Any, path: str) -> str:
    """Return a valid colour of a text or a block."""
    return choice(value, COLORS, path)


def _item(context: AppContext, value: Any, path: str) -> Object:
    item = json_object(value, path)
    kind = next((kind for kind in _KINDS if kind in item), None)
    if kind is None:
        need_one(path, _KINDS)
    only(item, ("type", kind, "annotations", "plain_text", "href"), path)
    if "type" in item:
        choice(item["type"], (kind,), f"{path}.type")
    styled = _annotations(item.get("annotations", {}), f"{path}.annotations")
    content = json_object(item[kind], f"{path}.{kind}")
    match kind:
        case "text":
            stored, text, href = _text(content, f"{path}.text")
        case "equation":
            only(content, ("expression",), f"{path}.equation")
            text = string(member(content, "expression", f"{path}.equation"), f"{path}.equation.expression",
                          limit=_EQUATION_LIMIT)  # fmt: skip
            stored, href = {"expression": text}, None
        case _:
            stored, text, href = _mention(context, content, f"{path}.mention")
    return {"type": kind, kind: stored, "annotations": styled, "plain_text": text, "href": href}


def _text(content: Object, path: str) -> tuple[Object, str, str | None]:
    only(content, ("content", "link"), path)
    text = string(member(content, "content", path), f"{path}.content", limit=CONTENT_LIMIT)
    link = content.get("link")
    if link is None:
        return {"content": text, "link": None}, text, None
    only(json_object(link, f"{path}.link", " or `null`"), ("url", "type"), f"{path}.link")
    url = string(member(link, "url", f"{path}.link"), f"{path}.link.url", limit=CONTENT_LIMIT)
    if not _LINK.fullmatch(url):
        raise invalid("Invalid URL for link.")
    return {"content": text, "link": {"url": url}}, text, url


def _annotations(value: Any, path: str) -> Object:
    sent = json_object(value, path, OR_UNDEFINED)
    only(sent, (*_STYLES, "color"), path)
    styled: Object = {style: boolean(sent.get(style, False), f"{path}.{style}", OR_UNDEFINED) for style in _STYLES}
    styled["color"] = color(sent.get("color", "default"), f"{path}.color")
    return styled


def _mention(context: AppContext, content: Object, path: str) -> tuple[Object, str, str | None]:
    kinds = ("user", "date", "page", "database", "template_mention")
    kind = next((kind for kind in kinds if kind in content), None)
    if kind is None:
        need_one(path, kinds)
    only(content, ("type", kind), path)
    target = json_object(content[kind], f"{path}.{kind}")
    match kind:
        case "date":
            date = dates.parse(target, f"{path}.date")
            text = f"{date['start']} → {date['end']}" if date["end"] else date["start"]
            return {"type": "date", "date": date}, text, None
        case "template_mention":
            return _template_mention(target, f"{path}.template_mention")
        case _:
            identifier = ids.need_uuid(member(target, "id", f"{path}.{kind}"), f"{path}.{kind}.id")
    if kind == "user":
        user = context.get("user", identifier) or {}
        return {"type": "user", "user": {"object": "user", "id": identifier}}, f"@{user.get('name', '')}", None
    target_row = context.get(kind, identifier) or {}
    name = title(target_row) if kind == "page" else plain(target_row.get("title"))
    href = f"https://www.notion.so/{identifier.replace('-', '')}"
    return {"type": kind, kind: {"id": identifier}}, name or "Untitled", href


def _template_mention(target: Object, path: str) -> tuple[Object, str, str | None]:
    words = {"template_mention_date": ("today", "now"), "template_mention_user": ("me",)}
    kind = next((kind for kind in words if kind in target), None)
    if kind is None:
        need_one(path, words)
    only(target, ("type", kind), path)
    word = choice(target[kind], words[kind], f"{path}.{kind}", optional=False)
    return {"type": "template_mention", "template_mention": {"type": kind, kind: word}}, f"@{word.capitalize()}", None


def title(page: Object) -> str:
    """Return a page's title: the text of its property of type `title`, whatever its name."""
    for value in (page.get("properties") or {}).values():
        if isinstance(value, dict) and value.get("type") == "title":
            return plain(value.get("title"))
    return ""
