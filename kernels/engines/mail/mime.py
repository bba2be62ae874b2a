"""Mail as bytes (RFC 5322 with MIME): building messages, and parsing them into a tree with the standard library's `email`."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from email import policy
from email.message import Message
from email.parser import BytesParser

from soundstage.kernels.engines.mail.headers import Header, decoded, encoded

_TYPES = {
    "avi": "video/x-msvideo", "bmp": "image/bmp", "bz2": "application/x-bzip2", "css": "text/css", "csv": "text/csv",
    "doc": "application/msword", "eml": "message/rfc822", "epub": "application/epub+zip", "gif": "image/gif",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "gz": "application/gzip",
    "heic": "image/heic", "htm": "text/html", "html": "text/html", "ics": "text/calendar", "jpeg": "image/jpeg",
    "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json", "log": "text/plain", "md": "text/markdown",
    "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "odp": "application/vnd.oasis.opendocument.presentation",
    "ods": "application/vnd.oasis.opendocument.spreadsheet", "odt": "application/vnd.oasis.opendocument.text",
    "pdf": "application/pdf", "png": "image/png", "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", "rar": "application/vnd.rar",
    "rtf": "application/rtf", "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff", "txt": "text/plain",
    "vcf": "text/vcard", "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp", "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
    "yaml": "text/yaml", "yml": "text/yaml", "zip": "application/zip",
}  # fmt: skip
_ATTACHED = policy.compat32


@dataclass(frozen=True, slots=True)
class File:
    """An attachment to be sent."""

    name: str
    data: bytes

    @property
    def mime_type(self) -> str:
        """Return the MIME type of the file."""
        return type_of(self.name)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a message.

    `data` is decoded, and empty if there are `parts`; `filename` is empty for parts that are not files.
    """

    mime_type: str
    filename: str
    headers: list[Header]
    data: bytes = b""
    parts: list[Part] = field(default_factory=list)


def from_base64(text: str) -> bytes:
    """Decode base64 as leniently as Node.js: both alphabets, optional padding, other characters ignored."""
    stored = "".join(c for c in text.partition("=")[0] if c.isascii() and (c.isalnum() or c in "+/-_"))
    stored = stored[:-1] if len(stored) % 4 == 1 else stored
    return base64.urlsafe_b64decode(stored.replace("+", "-").replace("/", "_") + "=" * (-len(stored) % 4))


def type_of(name: str) -> str:
    """Return the MIME type for a file name."""
    return _TYPES.get(name.rpartition(".")[2].lower(), "application/octet-stream")


def multipart(kind: str, parts: Sequence[bytes], boundary: str) -> bytes:
    """Return parts (headers, an empty line, a body) as a `multipart/<kind>` entity, starting with its Content-Type."""
    opened = b"".join(b"--" + boundary.encode() + b"\r\n" + part + b"\r\n" for part in parts)
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"\r\n\r\n'.encode()
    return head + opened + b"--" + boundary.encode() + b"--\r\n"


def attached(file: File) -> bytes:
    """Return a file as a base64 part of a message."""
    name = encoded(file.name).replace("\\", "\\\\").replace('"', '\\"')
    head = (
        f'Content-Type: {file.mime_type}; name="{name}"\r\nContent-Transfer-Encoding: base64\r\n'
        f'Content-Disposition: attachment; filename="{name}"\r\n\r\n'
    )
    return head.encode() + base64.encodebytes(file.data).replace(b"\n", b"\r\n")


def read(raw: bytes) -> Part:
    """Parse a message into a tree of parts with headers in their original order and encoded words decoded."""
    return _part(BytesParser(policy=_ATTACHED).parsebytes(raw))


def _part(message: Message) -> Part:
    headers: list[Header] = [{"name": name, "value": _value(value)} for name, value in message.raw_items()]
    inner = message.get_payload()
    name = decoded(message.get_filename() or "")
    if isinstance(inner, list):
        return Part(
            message.get_content_type(), name, headers, parts=[_part(m) for m in inner if isinstance(m, Message)]
        )
    data = message.get_payload(decode=True)
    return Part(message.get_content_type(), name, headers, data if isinstance(data, bytes) else b"")


def _value(value: object) -> str:
    """Return a header's value: 8-bit characters as UTF-8, unfolded, with encoded words decoded."""
    text = str(value).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return decoded(text.replace("\r", "").replace("\n", "")).strip()
