"""Texts by lines, as the server cuts them: `headFile`, `tailFile` and `normalizeLineEndings` of its `lib.js`."""

from __future__ import annotations

import math


def decoded(data: bytes) -> str:
    """Bytes as UTF-8; what is none becomes U+FFFD, and a byte order mark stays."""
    return data.decode("utf-8", "replace")


def with_newlines(text: str) -> str:
    """A text whose lines end in a newline alone."""
    return text.replace("\r\n", "\n")


def first_lines(text: str, count: float) -> str:
    """The first lines, as they are: what a broken number leaves over counts as a line, a newline at the end as none."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return "\n".join(lines[: max(0, math.ceil(count))])


def last_lines(data: bytes, count: float) -> str:
    """The last lines, with newlines alone: a broken number is cut, a newline at the end begins another line."""
    if count < 0:
        return ""  # nothing is read
    if count < 1:
        data = data[_start_of_last_newline(data) :]  # `slice(-0)`: all that was read so far
        return with_newlines(decoded(data))
    return "\n".join(with_newlines(decoded(data)).split("\n")[-int(count) :])


_CHUNK = 1024


def _start_of_last_newline(data: bytes) -> int:
    """Where the chunk begins, of those that are read from the end, in which the first newline is met."""
    last = data.rfind(b"\n")
    return 0 if last < 0 else max(0, len(data) - ((len(data) - 1 - last) // _CHUNK + 1) * _CHUNK)
