"""The content that Instagram finds at the address of a picture or video when it creates a container.

A `remote_file` row describes it. Without one, the address does: its extension is the file type, a name such as
`huge.jpg` or `stage-12mb.jpg` the size, and one such as `panorama.jpg` or `poster-9x16.png` the shape.
"""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import urlsplit

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules.errors import GraphError

Kind = Literal["image", "video"]

_ENDINGS = {
    **dict.fromkeys(("jpg", "jpeg", "png", "webp", "heic"), "image/jpeg"),
    **dict.fromkeys(("mp4", "mov", "m4v"), "video/mp4"),
}
_LARGEST_IMAGE = 8 * 1024 * 1024
_NARROWEST, _WIDEST = 4 / 5, 1.91
_VERY, _THING = r"(?:(?:very|too|extra|super)-?)?", r"(?:-?(?:image|img|photo|picture|pic|file|shot))?"
# Names of files that describe only the size or shape, and name endings that do so in addition.
_TOO_LARGE = re.compile(
    rf"{_VERY}(?:large|big|heavy|massive|enormous|jumbo){_THING}"
    rf"|(?:.*-)?{_VERY}(?:huge|gigantic|giant|oversized?|too-?large|too-?big|too-?heavy){_THING}"
)
_TOO_LONG = re.compile(
    rf"{_VERY}(?:wide|tall|narrow|long|skinny|slim|thin|stretched|strip|(?:(?:bad|wrong)-)?(?:aspect-)?ratio|(?:bad|wrong)-aspect){_THING}"
    rf"|(?:.*-)?(?:pano|panorama|panoramic|ultra-?wide|banner|too-?wide|too-?tall|too-?narrow|too-?long){_THING}"
)
_MEBIBYTES = re.compile(r"(?:^|-)(\d{1,4})-?mi?b(?:-|$)")
_SIZE = re.compile(r"(?:^|-)(\d{1,5})x(\d{1,5})(?:-|$)")


def check_image(context: AppContext, url: str, *, any_shape: bool = False) -> None:
    """Reject an address that is not a picture, or one that Instagram does not accept.

    Stories may have `any_shape`. Source:
    https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes

    Raises:
        GraphError: 2207052, 2207004 or 2207009, reported by its message.
    """
    file = _file(context, url)
    if not str(file.get("content_type") or "").startswith("image/"):
        raise _no_media()
    if file.get("size", 0) > _LARGEST_IMAGE:
        raise GraphError("limit", "The image size is too large.")
    width, height = file.get("width"), file.get("height")
    if not any_shape and width and height and not _NARROWEST <= width / height <= _WIDEST:
        raise GraphError("invalid", "The aspect ratio is not supported.")


def check_video(context: AppContext, url: str) -> bool:
    """Reject an address that is not a video; return whether the video can be processed.

    Raises:
        GraphError: 2207052, reported by its message.
    """
    file = _file(context, url)
    if not str(file.get("content_type") or "").startswith("video/"):
        raise _no_media()
    return not file.get("unreadable")


def kind_of(context: AppContext, url: str) -> Kind | None:
    """Return whether an address is a picture or a video, or None for other content."""
    content_type = str(_file(context, url).get("content_type") or "")
    if content_type.startswith("image/"):
        return "image"
    return "video" if content_type.startswith("video/") else None


def _no_media() -> GraphError:
    return GraphError("invalid", "Only photo or video can be accepted as media type.")


def _file(context: AppContext, url: str) -> Object:
    return context.get("remote_file", url) or _by_its_look(url)


def _by_its_look(url: str) -> Object:
    try:
        parts = urlsplit(url)
    except ValueError:
        return {}
    stem, _, ending = parts.path.rpartition("/")[2].lower().rpartition(".")
    if parts.scheme not in ("http", "https") or not parts.netloc or not stem:
        return {}
    file: Object = {"content_type": _ENDINGS.get(ending)}
    name = stem.replace("_", "-")
    if mebibytes := _MEBIBYTES.search(name):
        file["size"] = int(mebibytes[1]) * 1024 * 1024
    elif _TOO_LARGE.fullmatch(name):
        file["size"] = _LARGEST_IMAGE + 1
    if _TOO_LONG.fullmatch(name):
        file.update(width=3000, height=1000)
    elif size := _SIZE.search(name):
        file.update(width=int(size[1]), height=int(size[2]))
    return file
