"""Messages as the API keeps them: headers and a tree of parts with base64url bodies, and what the server reads out of it."""

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
    """An attachment as a message's tree names it."""

    id: str
    filename: str
    mime_type: str
    size: int


def payload(message: Object) -> Object:
    held = message.get("payload")
    return held if isinstance(held, dict) else {}


def headers(message: Object) -> list[Header]:
    return payload(message).get("headers") or []


def header(message: Object, name: str, *, any_case: bool = True) -> str:
    """A header's value, empty without it."""
    return find(headers(message), name, any_case=any_case) or ""


def labels(message: Object) -> list[str]:
    return message.get("labelIds") or []


def moment(message: Object) -> datetime:
    """When the message came, by the server's clock."""
    return datetime.fromtimestamp(int(message.get("internalDate") or 0) / 1000, UTC)


def parts(part: Object) -> Iterator[Object]:
    """A part and all parts below it, in their order."""
    yield part
    for inner in part.get("parts") or ():
        yield from parts(inner)


def contents(message: Object) -> tuple[str, str]:
    """All plain text and all HTML of a message, one part after the other; files of these types are among it."""
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
    """The parts whose bodies are kept apart."""
    found = []
    for part in parts(payload(message)):
        body = part.get("body") or {}
        if attachment_id := body.get("attachmentId"):
            name = part.get("filename") or f"attachment-{attachment_id}"
            kind = part.get("mimeType") or "application/octet-stream"
            found.append(Attached(attachment_id, name, kind, body.get("size") or 0))
    return found


def encode(data: bytes) -> str:
    """Base64url as the API writes it."""
    return base64.urlsafe_b64encode(data).decode()


def snippet(plain: str) -> str:
    """The first words of a text, as Gmail shows them beside a subject: HTML-escaped, blanks joined."""
    words = " ".join(plain.split())
    if len(words) > _SNIPPET:
        words = words[:_SNIPPET].rpartition(" ")[0] or words[:_SNIPPET]
    escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
    return "".join(escapes.get(c, c) for c in words)
