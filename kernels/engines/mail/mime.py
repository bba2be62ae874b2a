"""Mails as bytes (RFC 5322 with MIME), on the standard library's `email`: built from what a person says, and read into a tree."""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from email import policy
from email.message import Message
from email.parser import BytesParser

from soundstage.kernels.engines.mail.headers import Header, decoded, encoded

_TYPES = mimetypes.MimeTypes(())  # the standard library's own table, not the machine's
_ATTACHED = policy.compat32


@dataclass(frozen=True, slots=True)
class File:
    """An attachment to be sent."""

    name: str
    data: bytes

    @property
    def mime_type(self) -> str:
        return type_of(self.name)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a mail. `data` is decoded and empty where `parts` are; `filename` is empty for what is no file."""

    mime_type: str
    filename: str
    headers: list[Header]
    data: bytes = b""
    parts: list[Part] = field(default_factory=list)


def type_of(name: str) -> str:
    """The MIME type that a file's name tells."""
    return _TYPES.guess_type(name)[0] or "application/octet-stream"


def multipart(kind: str, parts: Sequence[bytes], boundary: str) -> bytes:
    """Parts (headers, an empty line, a body) as one part of `multipart/<kind>`, from its Content-Type on."""
    opened = b"".join(b"--" + boundary.encode() + b"\r\n" + part + b"\r\n" for part in parts)
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"\r\n\r\n'.encode()
    return head + opened + b"--" + boundary.encode() + b"--\r\n"


def attached(file: File) -> bytes:
    """A file as a part of a mail, in base64."""
    name = encoded(file.name).replace("\\", "\\\\").replace('"', '\\"')
    head = (
        f'Content-Type: {file.mime_type}; name="{name}"\r\nContent-Transfer-Encoding: base64\r\n'
        f'Content-Disposition: attachment; filename="{name}"\r\n\r\n'
    )
    return head.encode() + base64.encodebytes(file.data).replace(b"\n", b"\r\n")


def read(raw: bytes) -> Part:
    """A mail as a tree of parts, each with its own headers in their order, encoded words read."""
    return _part(BytesParser(policy=_ATTACHED).parsebytes(raw))


def _part(message: Message) -> Part:
    headers: list[Header] = [{"name": name, "value": _value(value)} for name, value in message.raw_items()]
    inner = message.get_payload()
    name = decoded(message.get_filename() or "")
    if isinstance(inner, list):
        return Part(message.get_content_type(), name, headers, parts=[_part(m) for m in inner if isinstance(m, Message)])
    data = message.get_payload(decode=True)
    return Part(message.get_content_type(), name, headers, data if isinstance(data, bytes) else b"")


def _value(value: object) -> str:
    """A header's value: 8-bit letters as UTF-8, folds undone, encoded words read."""
    text = str(value).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return decoded(text.replace("\r", "").replace("\n", "")).strip()
