"""Header fields: lookup, and encoded words for non-ASCII text (RFC 2047)."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from typing import TypedDict


class Header(TypedDict):
    """A header field in the format of Gmail's API."""

    name: str
    value: str


def encoded(text: str) -> str:
    """Encode a text as one base64 encoded word if it is not ASCII. Long texts are not folded."""
    if text.isascii():
        return text
    return f"=?UTF-8?B?{base64.b64encode(text.encode('utf-8', 'surrogatepass')).decode()}?="


def decoded(value: str) -> str:
    """Decode the encoded words of a value; return invalid ones unchanged."""
    try:
        return str(make_header(decode_header(value)))
    except (HeaderParseError, UnicodeError, LookupError, ValueError):
        return value


def find(headers: Sequence[Header], name: str, *, any_case: bool = True) -> str | None:
    """Return the value of the first field with this name, or None."""
    wanted = name.lower()
    for header in headers:
        current = header.get("name", "")
        if current == name or (any_case and current.lower() == wanted):
            return header.get("value", "")
    return None


def find_all(headers: Sequence[Header], name: str) -> list[str]:
    """Return the values of all fields with this name, ignoring case."""
    return [h.get("value", "") for h in headers if h.get("name", "").lower() == name.lower()]
