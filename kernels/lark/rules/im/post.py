"""Rich text (`post`): a title and paragraphs of tagged elements per language.

The sent form contains languages; the stored form has one language, with mentions as keys and Markdown as text:
https://open.feishu.cn/document/server-docs/im-v1/message-content-description/message_content
"""

from __future__ import annotations

import re
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.errors import LarkError
from soundstage.kernels.lark.rules.im.mentions import Mentions
from soundstage.kernels.lark.rules.im.messages import invalid_parameter

_LANGUAGE = re.compile(r"[a-z]{2}_[a-z]{2}")
# Each tag's members: required ones, then optional ones. All are strings except `un_escape` and `style`.
_TAGS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "text": (("text",), ("un_escape",)),
    "a": (("text", "href"), ()),
    "at": (("user_id",), ("user_name",)),
    "img": (("image_key",), ()),
    "media": (("file_key",), ("image_key",)),
    "emotion": (("emoji_type",), ()),
    "code_block": (("text",), ("language",)),
    "hr": ((), ()),
    "md": (("text",), ()),
}
_STYLED = ("text", "a", "at")
_STYLES = ("bold", "underline", "lineThrough", "italic")


def parse(parsed: Object) -> Object:
    """Validate every language and return the stored one as {title, content}.

    Raises:
        LarkError: 230001, which names a missing member of an element.
    """
    languages = {name: value for name, value in parsed.items() if _LANGUAGE.fullmatch(name)}
    if not languages:
        raise _wrong("content format of the post type is incorrect")
    checked = {name: _language(value) for name, value in languages.items()}
    return checked.get("zh_cn") or next(iter(checked.values()))


def to_stored(parsed: Object, mentions: Mentions) -> Object:
    """Return the post in the API's stored form, with mentions replaced by keys."""
    paragraphs = [[_stored(element, mentions) for element in paragraph] for paragraph in parsed["content"]]
    return {"title": parsed["title"], "content": paragraphs}


def _language(value: Any) -> Object:
    title = value.get("title") if isinstance(value, dict) else None
    paragraphs = value.get("content") if isinstance(value, dict) else None
    if not isinstance(paragraphs, list) or not paragraphs or not isinstance(title, str | None):
        raise _wrong("content format of the post type is incorrect")
    if not all(isinstance(paragraph, list) for paragraph in paragraphs):
        raise _wrong("content format of the post type is incorrect")
    return {"title": title or "", "content": [[_element(element) for element in p] for p in paragraphs]}


def _element(element: Any) -> Object:
    tag = element.get("tag") if isinstance(element, dict) else None
    if not isinstance(tag, str) or tag not in _TAGS:
        raise _wrong("message_content has wrong tag")
    necessary, others = _TAGS[tag]
    for name in necessary:
        if not isinstance(element.get(name), str):
            raise _wrong(f"message_content_{tag}_tag's {name} field can't be nil")
    members = {"tag": tag, **{name: element[name] for name in necessary}}
    members |= {name: element[name] for name in others if isinstance(element.get(name), str | bool)}
    style = element.get("style")
    if tag in _STYLED and isinstance(style, list):
        members["style"] = [name for name in _STYLES if name in style]
    return members


def _stored(element: Object, mentions: Mentions) -> Object:
    match element["tag"]:
        case "at":
            key = mentions.key(element["user_id"], element.get("user_name", ""))
            if key is None:
                raise _wrong("message_content_at_tag's user_id field is invalid")
            return {**element, "user_id": key, "user_name": mentions.name_of(key)}
        case "md":
            return {"tag": "text", "text": mentions.rewrite(element["text"])}
        case _:
            return element


def _wrong(reason: str) -> LarkError:
    return invalid_parameter(f"invalid message content. {reason}")
