"""Validation of displayed pictures: four formats that cannot contain scripts, with limited dimensions."""

from __future__ import annotations

import io

_KINDS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
_MOST_PIXELS = 40_000_000


def media_type(data: bytes) -> str | None:
    """Return the media type of a picture from its header, or None if it is not displayable."""
    from PIL import Image, UnidentifiedImageError  # not loaded when a gateway starts

    try:
        with Image.open(io.BytesIO(data), formats=tuple(_KINDS)) as image:
            width, height = image.size
            kind = image.format
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError):
        return None
    return _KINDS[str(kind)] if width * height <= _MOST_PIXELS else None
