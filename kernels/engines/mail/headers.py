"""Header fields: looking one up, and RFC 2047, by which they carry other letters than ASCII's."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from typing import TypedDict


class Header(TypedDict):
    """One field, as Gmail's API has it."""

    name: str
    value: str


def encoded(text: str) -> str:
    """A text as one encoded word of base64, if it needs that. It is not folded, whatever its length."""
    if text.isascii():
        return text
    return f"=?UTF-8?B?{base64.b64encode(text.encode('utf-8', 'surrogatepass')).decode()}?="


def decoded(value: str) -> str:
    """A field's value with its encoded words read; as it is where they cannot be."""
    try:
        return str(make_header(decode_header(value)))
    except (HeaderParseError, UnicodeError, LookupError, ValueError):
        return value


def find(headers: Sequence[Header], name: str, *, any_case: bool = True) -> str | None:
    """The value of the first field of this name; None without one."""
    wanted = name.lower()
    for header in headers:
        held = header.get("name", "")
        if held == name or (any_case and held.lower() == wanted):
            return header.get("value", "")
    return None


def find_all(headers: Sequence[Header], name: str) -> list[str]:
    """The values of all fields of this name, whatever its case."""
    return [h.get("value", "") for h in headers if h.get("name", "").lower() == name.lower()]
