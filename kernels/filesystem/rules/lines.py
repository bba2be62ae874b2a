"""Texts by lines, like `headFile`, `tailFile` and `normalizeLineEndings` of the server's `lib.js`."""

from __future__ import annotations

import math


def decoded(data: bytes) -> str:
    """Decode UTF-8; invalid bytes become U+FFFD, and a byte order mark stays."""
    return data.decode("utf-8", "replace")


def with_newlines(text: str) -> str:
    """Convert line endings to newlines."""
    return text.replace("\r\n", "\n")


def first_lines(text: str, count: float) -> str:
    """Return the first lines unchanged; a fractional count rounds up, and a trailing newline adds no line."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return "\n".join(lines[: max(0, math.ceil(count))])


def last_lines(data: bytes, count: float) -> str:
    """Return the last lines with newlines only; a fractional count rounds down, and a trailing newline adds a line."""
    if count < 0:
        return ""  # nothing is read
    if count < 1:
        data = data[_start_of_last_newline(data) :]  # `slice(-0)`: everything that was read so far
        return with_newlines(decoded(data))
    return "\n".join(with_newlines(decoded(data)).split("\n")[-int(count) :])


_CHUNK = 1024


def _start_of_last_newline(data: bytes) -> int:
    """Return the start of the chunk, counted from the end, that contains the last newline."""
    last = data.rfind(b"\n")
    return 0 if last < 0 else max(0, len(data) - ((len(data) - 1 - last) // _CHUNK + 1) * _CHUNK)
