"""Ids in arguments: UUIDs with or without dashes, in upper or lower case.

The server writes ids into the URL unchanged, so the API sees what a URL parser makes of them: a space arrives as `%20`
(recorded reply), text after `?` or `#` is cut off, and an id with a slash matches no endpoint.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from soundstage.kernels.notion.rules.errors import api_error
from soundstage.kernels.notion.rules.validation import refuse

_UUID = re.compile(r"[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}", re.IGNORECASE)
_KEPT_IN_PATHS = "!$%&'()*+,:;=@[]|"
_DOT_SEGMENTS = re.compile(r"(\.|%2e){1,2}", re.IGNORECASE)


def normalize_uuid(text: str) -> str | None:
    """Return a UUID in the API's form, or None for other texts."""
    if not _UUID.fullmatch(text):
        return None
    digits = text.replace("-", "").lower()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def path_id(raw: str, name: str, *, last: bool = True) -> str:
    """Return an id in the URL's path, at its end (`last`) or before a further segment.

    Raises:
        NotionError: The id is not a UUID, or breaks the URL.
    """
    segment = re.sub(r"[\t\n\r]", "", raw)
    if last:
        segment = re.split(r"[?#]", segment.rstrip("".join(map(chr, range(33)))))[0]
    if not segment or re.search(r"[/\\?#]", segment) or _DOT_SEGMENTS.fullmatch(segment):
        raise api_error(400, "invalid_request_url", "Invalid request URL.")
    return need_uuid(quote(segment, safe=_KEPT_IN_PATHS), f"path.{name}")


def need_uuid(value: Any, path: str, alternative: str = "") -> str:
    """Return a UUID in its dashed form.

    Raises:
        NotionError: The value is not a UUID.
    """
    identifier = normalize_uuid(value) if isinstance(value, str) else None
    if identifier is None:
        refuse(path, f"a valid uuid{alternative}", value)
    return identifier
