"""WeCom's webhook for group robots: validation and errors.

The limits are from https://developer.work.weixin.qq.com/document/path/99110. The undocumented order of the checks is: key,
rate, content.
"""

from __future__ import annotations

import base64
import binascii
import hashlib

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_s
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.wecom.rules.errors import api_error
from soundstage.kernels.wecom.rules.process import own_robot

_A_MINUTE = 60
_MOST_A_MINUTE = 20
_LONGEST = {"text": 2048, "markdown": 4096}
_LARGEST_IMAGE = 2 * 1024 * 1024
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
_LONGEST_TITLE, _LONGEST_DESCRIPTION = 128, 512
_SMALLEST_FILE, _LARGEST_FILE = 6, 20 * 1024 * 1024


def post_message(context: AppContext, message: Object) -> None:
    """Post a message of the robot: `msgtype` and its content.

    Raises:
        Refusal: 93000, 45009, an error of the message type, or 40004 if the process still uses the URL for uploads.
    """
    robot = _accepted_robot(context)
    if robot.get("webhook_path") == "upload_media":
        raise api_error(context, "invalid", 40004, "invalid media type")
    match message["msgtype"]:
        case "image":
            _check_image(context, message["image"])
        case "news":
            message = {**message, "articles": [_cut(_checked_article(context, a)) for a in message["articles"]]}
        case kind:
            _check_content(context, kind, message["content"])
    context.create("message", {"robot_key": robot["key"], "created_at": to_s(context.now()), **message})


def upload(context: AppContext, path: str, size: int) -> str:
    """Accept a file of the given size in bytes and return its media id.

    Raises:
        Refusal: 93000, 45009 or 40006.
    """
    robot = _accepted_robot(context)
    if not _SMALLEST_FILE <= size <= _LARGEST_FILE:
        raise api_error(context, "limit", 40006, "invalid media size")
    file = {
        "robot_key": robot["key"],
        "type": "file",
        "file_path": path,
        "size": size,
        "created_at": str(to_s(context.now())),
    }
    return str(context.create("file", file)["media_id"])


def _accepted_robot(context: AppContext) -> Object:
    robot = own_robot(context)
    if robot is None or robot.get("removed"):
        raise api_error(context, "unauthorized", 93000, "invalid webhook url")
    since = to_s(context.now()) - _A_MINUTE
    written = context.count("message", {"robot_key": robot["key"], "created_at >": since})
    if robot.get("ratelimited") or written >= _MOST_A_MINUTE:
        raise api_error(context, "rate_limited", 45009, "api freq out of limit")
    return robot


def _check_content(context: AppContext, kind: str, content: str) -> None:
    if not content:
        raise api_error(context, "invalid", 44004, "empty content")
    if len(content.encode()) > _LONGEST[kind]:
        words = f"{kind}.content exceed max length {_LONGEST[kind]}. Invalid input invalid Request Parameter"
        raise api_error(context, "limit", 40058, words)


def _check_image(context: AppContext, image: Object) -> None:
    """Check an image, which consists of base64 and the md5 of its content."""
    try:
        data = base64.b64decode(image["base64"], validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if not data:
        raise api_error(context, "invalid", 44001, "empty media data")
    if hashlib.md5(data).hexdigest() != image["md5"].lower():  # noqa: S324 it is what WeCom asks for
        raise api_error(context, "invalid", 301019, "media md5 not match")
    if len(data) > _LARGEST_IMAGE:
        raise api_error(context, "limit", 40009, "invalid image size")
    if not data.startswith(_PICTURES):
        raise api_error(context, "invalid", 40005, "invalid file type")


def _checked_article(context: AppContext, article: Object) -> Object:
    if not article["title"]:
        raise api_error(context, "invalid", 41016, "missing title")
    if not article["url"]:
        raise api_error(context, "invalid", 41010, "missing url")
    return article


def _cut(article: Object) -> Object:
    """Truncate an article's title and description to WeCom's limits."""
    return {
        **article,
        "title": _first_bytes(article["title"], _LONGEST_TITLE),
        "description": _first_bytes(article["description"], _LONGEST_DESCRIPTION),
    }


def _first_bytes(text: str, most: int) -> str:
    """Return as many whole characters as fit into `most` bytes."""
    return text.encode()[:most].decode(errors="ignore")
