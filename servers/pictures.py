"""Which bytes people are shown as a picture: those of four kinds, none of which can hold a script, and not too large to draw."""

from __future__ import annotations

import io

_KINDS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
_MOST_PIXELS = 40_000_000


def media_type(data: bytes) -> str | None:
    """What kind of picture this is; None for what is none that is shown. Its head alone is read."""
    from PIL import Image, UnidentifiedImageError  # a gateway starts without it

    try:
        with Image.open(io.BytesIO(data), formats=tuple(_KINDS)) as image:
            width, height = image.size
            kind = image.format
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError):
        return None
    return _KINDS[str(kind)] if width * height <= _MOST_PIXELS else None
