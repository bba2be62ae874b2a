"""Binary files as MCP content blocks."""

from __future__ import annotations

from posixpath import basename
from typing import Any
from urllib.parse import quote

Block = dict[str, Any]
"""An `image` or `audio` block, {type, data, mimeType}, or a `resource`, {type, resource: {uri, mimeType, blob}}."""

_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
    ".svg": "image/svg+xml",
    ".mp3": "audio/mpeg",
    ".wav": "audio/wav",
    ".ogg": "audio/ogg",
    ".flac": "audio/flac",
}
_IN_ADDRESSES = "/!$&'()*+,;=:@[]|^"


def block(path: str, data: str) -> Block:
    """Return the block for a file with this base64; only its extension determines the type."""
    mime_type = _TYPES.get(_ending(path).lower(), "application/octet-stream")
    kind = mime_type.partition("/")[0]
    if kind in ("image", "audio"):
        return {"type": kind, "data": data, "mimeType": mime_type}
    return {"type": "resource", "resource": {"uri": _address(path), "mimeType": mime_type, "blob": data}}


def _ending(path: str) -> str:
    """Return Node's `path.extname`: from the last dot on, unless the name starts with it."""
    name = basename(path)
    at = name.rfind(".")
    return name[at:] if at > 0 else ""


def _address(path: str) -> str:
    """Return Node's `pathToFileURL`."""
    return "file://" + quote(path, safe=_IN_ADDRESSES)
