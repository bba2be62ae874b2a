"""Messages as the API stores them (headers and a tree of parts with base64url bodies), and the data that the server extracts."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.mail.headers import Header, find
from soundstage.kernels.engines.mail.mime import from_base64

_SNIPPET = 200


class Attached(NamedTuple):
    """An attachment in a message's tree."""

    id: str
    filename: str
    mime_type: str
    size: int


def payload(message: Object) -> Object:
    """Return the message's root part."""
    current = message.get("payload")
    return current if isinstance(current, dict) else {}


def headers(message: Object) -> list[Header]:
    """Return the message's headers."""
    return payload(message).get("headers") or []


def header(message: Object, name: str, *, any_case: bool = True) -> str:
    """Return a header's value, or ""."""
    return find(headers(message), name, any_case=any_case) or ""


def labels(message: Object) -> list[str]:
    """Return the ids of the message's labels."""
    return message.get("labelIds") or []


def moment(message: Object) -> datetime:
    """Return when Gmail received the message."""
    return datetime.fromtimestamp(int(message.get("internalDate") or 0) / 1000, UTC)


def parts(part: Object) -> Iterator[Object]:
    """Yield a part and its descendants in order."""
    yield part
    for inner in part.get("parts") or ():
        yield from parts(inner)


def contents(message: Object) -> tuple[str, str]:
    """Return all plain text and all HTML of a message, concatenated; includes attachments of these types."""
    plain, html = "", ""
    for part in parts(payload(message)):
        if not (data := (part.get("body") or {}).get("data")):
            continue
        if part.get("mimeType") == "text/plain":
            plain += from_base64(data).decode("utf-8", "replace")
        elif part.get("mimeType") == "text/html":
            html += from_base64(data).decode("utf-8", "replace")
    return plain, html


def attachments(message: Object) -> list[Attached]:
    """Return the parts whose bodies are stored separately."""
    results = []
    for part in parts(payload(message)):
        body = part.get("body") or {}
        if attachment_id := body.get("attachmentId"):
            name = part.get("filename") or f"attachment-{attachment_id}"
            kind = part.get("mimeType") or "application/octet-stream"
            results.append(Attached(attachment_id, name, kind, body.get("size") or 0))
    return results


def encode(data: bytes) -> str:
    """Encode bytes in base64url like the API."""
    return base64.urlsafe_b64encode(data).decode()


def snippet(plain: str) -> str:
    """Return the first words of a text as Gmail's snippet: HTML-escaped, with single spaces."""
    words = " ".join(plain.split())
    if len(words) > _SNIPPET:
        words = words[:_SNIPPET].rpartition(" ")[0] or words[:_SNIPPET]
    escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
    return "".join(escapes.get(c, c) for c in words)
