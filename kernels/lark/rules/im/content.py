"""The content of a message: a JSON string whose members depend on the message's type.

`parse` validates it, `to_stored` converts it to the form that the API stores and returns, with mentions replaced by keys.
Forms and reasons: https://open.feishu.cn/document/server-docs/im-v1/message-content-description/create_json
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.errors import LarkError
from soundstage.kernels.lark.rules.im import post
from soundstage.kernels.lark.rules.im.mentions import Mentions
from soundstage.kernels.lark.rules.im.messages import invalid_parameter

_KIB = 1024
_LIMITS = {"interactive": 30 * _KIB, "post": 30 * _KIB}
_LIMIT = 150 * _KIB

# The members of each type, required ones first, all of them strings.
_MEMBERS: dict[str, tuple[str, ...]] = {
    "text": ("text",),
    "image": ("image_key",),
    "file": ("file_key",),
    "audio": ("file_key",),
    "media": ("file_key", "image_key"),
    "sticker": ("file_key",),
    "share_chat": ("chat_id",),
    "share_user": ("user_id",),
}
_TYPES = (*_MEMBERS, "post", "interactive", "system")
# Uploads return keys such as img_v2_…, file_v3_… or, formerly, a bare UUID with a letter at the end.
_UPLOAD_KEY = re.compile(r"(img|file)_[\w-]{3,}|[0-9a-f]{8}-[\w-]{20,}", re.ASCII)
_DIVIDER_LIMIT = 20


def parse(msg_type: str, content: str) -> Object:
    """Parse and validate a message's content.

    Raises:
        LarkError: 230001 for a wrong type or content, 230025 for excessive length, 230099 for an invalid card.
    """
    if msg_type not in _TYPES:
        raise invalid_parameter("invalid msg_type")
    if len(content.encode()) > _LIMITS.get(msg_type, _LIMIT):
        raise LarkError(230025, "The length of the message content reaches its limit.", kind="limit")
    try:
        parsed = orjson.loads(content)
    except orjson.JSONDecodeError:
        raise invalid_parameter("invalid message content. content is not a string in json format") from None
    if not isinstance(parsed, dict):
        raise _wrong_format(msg_type)
    match msg_type:
        case "post":
            return post.parse(parsed)
        case "interactive":
            return _card(parsed)
        case "system":
            return _divider(parsed)
        case _:
            return _members(msg_type, parsed)


def to_stored(msg_type: str, parsed: Object, mentions: Mentions, sent: str) -> str:
    """Return the content string that the API stores; a card stays as it was sent."""
    match msg_type:
        case "text":
            return _json({"text": mentions.rewrite(parsed["text"])})
        case "post":
            return _json(post.to_stored(parsed, mentions))
        case "interactive":
            return sent
        case _:
            return _json(parsed)


def _members(msg_type: str, parsed: Object) -> Object:
    names = _MEMBERS[msg_type]
    members = {name: parsed[name] for name in names if parsed.get(name) is not None}
    if not all(isinstance(value, str) for value in members.values()) or not members.get(names[0]):
        raise _wrong_format(msg_type)
    for name in ("file_key", "image_key"):
        if name in members and not _UPLOAD_KEY.fullmatch(members[name]):
            raise invalid_parameter(f"invalid {name}")
    return members


def _card(parsed: Object) -> Object:
    """Validate a card, which is card JSON, a template, or an existing card; its components are not checked."""
    body = parsed.get("body")
    is_card = (
        isinstance(parsed.get("elements"), list)
        or isinstance(parsed.get("i18n_elements"), dict)
        or (isinstance(body, dict) and isinstance(body.get("elements"), list))
        or (parsed.get("type") in ("template", "card") and isinstance(parsed.get("data"), dict))
    )
    if not is_card:
        reason = "ErrCode: 200621; ErrMsg: parse card json err, please check whether the card json is correct"
        raise LarkError(230099, f"Failed to create card content, ext={reason}; ErrorValue: ; ")
    return parsed


def _divider(parsed: Object) -> Object:
    """Validate a dividing line, the only system message that can be sent."""
    if parsed.get("type") != "divider":
        raise invalid_parameter("invalid system message type")
    params = parsed.get("params")
    divider = params.get("divider_text") if isinstance(params, dict) else None
    if not isinstance(divider, dict):
        raise invalid_parameter("divider_text must be set")
    text = divider.get("text")
    if not isinstance(text, str) or not text:
        raise invalid_parameter("divider message text cannot be empty")
    if _width(text) > _DIVIDER_LIMIT:
        raise invalid_parameter("divider message text exceeds the specified length")
    divider_text: Object = {"text": text}
    translations = divider.get("i18n_text")
    if isinstance(translations, dict):
        if not all(isinstance(value, str) and value for value in translations.values()):
            raise invalid_parameter("divider message i18n_text contains empty text")
        if any(_width(value) > _DIVIDER_LIMIT for value in translations.values()):
            raise invalid_parameter("divider message text in i18n_text exceeds the specified length")
        divider_text["i18n_text"] = {language.lower(): value for language, value in translations.items()}
    return {"template": "{divider_text}", "from_user": [], "to_chatters": [], "divider_text": divider_text}


def _width(text: str) -> int:
    """Return the length that Lark counts: a Chinese character counts twice."""
    return sum(1 if character.isascii() else 2 for character in text)


def _wrong_format(msg_type: str) -> LarkError:
    return invalid_parameter(f"invalid message content. content format of the {msg_type} type is incorrect")


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
