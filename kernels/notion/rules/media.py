"""Files of blocks, icons, covers and properties.

Files can only be external links: the server has no tool that uploads one, so no upload exists.
"""

from __future__ import annotations

import re
from typing import Any, NoReturn

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import access, ids, rich_text
from soundstage.kernels.notion.rules.validation import (
    OR_NULL,
    OR_UNDEFINED,
    json_object,
    member,
    need_one,
    only,
    refuse,
    string,
)

_URL_LIMIT = 2000
_SOURCES = ("external", "file_upload")
_ICONS = ("file_upload", "emoji", "external", "custom_emoji", "icon")
_PICTOGRAM = r"[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
_EMOJI = re.compile(rf"({_PICTOGRAM}|[0-9#*]\ufe0f?\u20e3)[^A-Za-z]*")


def parse(context: AppContext, sent: Object, path: str, *, named: bool) -> Object:
    """Return the content of a media block, or a file of a property; `named` ones have a `name`.

    Raises:
        NotionError: In the words of the API's validation, or 404 for an upload.
    """
    if not any(source in sent for source in _SOURCES):
        need_one(path, _SOURCES)
    stored = parse_changes(context, {name: value for name, value in sent.items() if name != "type"}, path, named=named)
    if "type" in sent and sent["type"] != "external":
        refuse(f"{path}.type", '`"external"` or `undefined`', sent["type"])
    name = {"name": stored.get("name", stored["external"]["url"].rpartition("/")[2])} if named else {}
    return {"caption": stored.get("caption", []), "type": "external", "external": stored["external"], **name}


def parse_changes(context: AppContext, sent: Object, path: str, *, named: bool) -> Object:
    """Return the members of a media block that a request changes.

    Raises:
        NotionError: In the words of the API's validation, or 404 for an upload.
    """
    only(sent, ("caption", *_SOURCES, "name") if named else ("caption", *_SOURCES), path)
    stored: Object = {}
    if "caption" in sent:
        stored["caption"] = rich_text.parse(context, sent["caption"], f"{path}.caption")
    if "file_upload" in sent:
        _refuse_upload(context, sent["file_upload"], f"{path}.file_upload")
    if "external" in sent:
        stored["external"] = external(sent["external"], f"{path}.external")
    if "name" in sent:
        stored["name"] = string(sent["name"], f"{path}.name")
    return stored


def external(value: Any, path: str) -> Object:
    """Return a link to a file outside Notion."""
    sent = json_object(value, path)
    only(sent, ("url",), path)
    return {"url": string(member(sent, "url", path), f"{path}.url", limit=_URL_LIMIT)}


def icon(context: AppContext, value: Any, path: str) -> Object | None:
    """Return the icon of a page, a database or a block; null removes it.

    Raises:
        NotionError: In the words of the API's validation, or 404 for an upload or an unknown custom emoji.
    """
    if value is None:
        return None
    sent = json_object(value, path, OR_NULL)
    kind = next((kind for kind in _ICONS if kind in sent), None)
    if kind is None:
        need_one(path, _ICONS)
    only(sent, ("type", kind), path)
    match kind:
        case "emoji":
            emoji = string(sent["emoji"], f"{path}.emoji")
            if not _EMOJI.fullmatch(emoji):
                refuse(f"{path}.emoji", "an emoji", emoji)
            return {"type": "emoji", "emoji": emoji}
        case "external":
            return {"type": "external", "external": external(sent["external"], f"{path}.external")}
        case "icon":
            named = json_object(sent["icon"], f"{path}.icon")
            only(named, ("name", "color"), f"{path}.icon")
            name = string(member(named, "name", f"{path}.icon"), f"{path}.icon.name")
            color = string(named.get("color", "gray"), f"{path}.icon.color", OR_UNDEFINED)
            return {"type": "icon", "icon": {"name": name, "color": color}}
        case "custom_emoji":
            target = json_object(sent["custom_emoji"], f"{path}.custom_emoji")
            identifier = ids.need_uuid(member(target, "id", f"{path}.custom_emoji"), f"{path}.custom_emoji.id")
            raise access.not_found(context, "custom_emoji", identifier)
        case _:
            _refuse_upload(context, sent["file_upload"], f"{path}.file_upload")


def cover(context: AppContext, value: Any, path: str) -> Object | None:
    """Return the cover of a page or a database; null removes it.

    Raises:
        NotionError: In the words of the API's validation, or 404 for an upload.
    """
    if value is None:
        return None
    sent = json_object(value, path, OR_NULL)
    kind = next((kind for kind in _SOURCES if kind in sent), None)
    if kind is None:
        need_one(path, ("file_upload", "external"))
    only(sent, ("type", kind), path)
    if kind == "file_upload":
        _refuse_upload(context, sent["file_upload"], f"{path}.file_upload")
    return {"type": "external", "external": external(sent["external"], f"{path}.external")}


def _refuse_upload(context: AppContext, value: Any, path: str) -> NoReturn:
    upload = json_object(value, path)
    raise access.not_found(context, "file_upload", ids.need_uuid(member(upload, "id", path), f"{path}.id"))
