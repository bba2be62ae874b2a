"""Limits and cursors of the Web API.

A cursor is Base64 of the start of the next page: `off:2` (a position) in lists, as in a recorded reply of the real
server, and `next_ts:…` (a timestamp without its dot) in a channel's messages, which new messages do not move. See
https://docs.slack.dev/apis/web-api/pagination.
"""

from __future__ import annotations

import base64
import binascii
import re

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules.errors import SlackError


def page_size(limit: str, *, default: int, most: int) -> int:
    """Return the size of a page from a `limit` as sent over HTTP; "" and 0 mean the default.

    Raises:
        SlackError: invalid_limit, if it is not a number.
    """
    if limit == "":
        return default
    if not re.fullmatch(r"\d{1,18}", limit, re.ASCII):
        raise SlackError("invalid_limit")
    return min(int(limit) or default, most)


def cut(objects: list[Object], size: int, cursor: str) -> tuple[list[Object], str]:
    """Return one page of a list and the cursor to the next one ("" at the end).

    Raises:
        SlackError: invalid_cursor, for a cursor that this list never returned.
    """
    start = 0
    if cursor:
        position = read_cursor(cursor, "off")
        start = int(position) if re.fullmatch(r"\d{1,9}", position, re.ASCII) else 0
        if not 0 < start < len(objects):
            raise SlackError("invalid_cursor")
    end = start + size
    return objects[start:end], write_cursor("off", str(end)) if end < len(objects) else ""


def write_cursor(kind: str, value: str) -> str:
    """Encode a cursor."""
    return base64.b64encode(f"{kind}:{value}".encode()).decode()


def read_cursor(cursor: str, kind: str) -> str:
    """Return the value in a cursor of this kind.

    Raises:
        SlackError: invalid_cursor.
    """
    try:
        found_kind, _, value = base64.b64decode(cursor, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        raise SlackError("invalid_cursor") from None
    if found_kind != kind or not value:
        raise SlackError("invalid_cursor")
    return value
