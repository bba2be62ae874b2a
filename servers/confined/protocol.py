"""Frames between the gateway and a worker: four bytes of length, then JSON.

A call begins with one object from the gateway: `{"code", "app", "module", "now_ms", "arguments"}`. The worker sends
requests, lists such as `["get", "goods", ["gd_1"]]`, and gets `[0, value]` or `[1, exception, message]` for each. Its last
frame is an object with one of the members of `Outcome`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, TypedDict

MOST_FROM_WORKER = 8 * 2**20
"""Bytes of one frame that a worker may send."""
MOST_SENT = 32 * 2**20
"""Bytes of all frames of one call that a worker may send."""
MOST_TO_WORKER = 32 * 2**20
"""Bytes of one frame that the gateway sends: rows, and the call's arguments."""
MOST_REQUESTS = 20_000
"""Requests that one call may make."""
MOST_REPORTED = 4000
"""Characters of an exception's text that are reported."""
MEMORY = 512 * 2**20
"""Bytes that a call may use in addition to the address space of the idle process."""
HEAD = 4


class Call(TypedDict):
    """The first frame of a call. `code` is the number of the app's loaded code."""

    code: int
    app: str
    module: str
    now_ms: int
    arguments: Any


class Outcome(TypedDict, total=False):
    """The last frame of a call: exactly one of these members, and where the kernel returned, the CPU time that it reports.

    `reply` is what the kernel returned, `pair` a reply with structured content. `refused` is the kind and message of an
    `AppError`: raised, or where `returned` is set, returned by the kernel, whose changes stay. `raised` describes any other
    exception; `exceeded` is the limit that the call ran into.
    """

    reply: Any
    pair: list[Any]
    refused: list[str]
    returned: list[str]
    raised: str
    exceeded: str
    cpu_us: int


class BadFrame(ValueError):
    """A frame is too large or not JSON."""


_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), check_circular=True).encode


def frame(value: Any, most: int, encode: Callable[[Any], str] = _encode) -> bytes:
    """Encode a value as a frame.

    Raises:
        BadFrame: it has more than `most` bytes.
        TypeError, ValueError, RecursionError: it is not JSON.
    """
    body = encode(value).encode("ascii")
    if len(body) > most:
        raise BadFrame(f"a message of {len(body):,} bytes; at most {most:,} may be sent")
    return len(body).to_bytes(HEAD, "big") + body


def decode(body: bytes) -> Any:
    """Decode the body of a frame.

    Raises:
        BadFrame: it is not JSON.
    """
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"a message that is not JSON ({type(error).__name__})") from None


def read_frame(descriptor: int, most: int) -> Any:
    """Read a frame from a blocking descriptor.

    Raises:
        EOFError: the other side has closed it.
        BadFrame: it is larger than `most`, or not JSON.
    """
    size = int.from_bytes(_read(descriptor, HEAD), "big")
    if size > most:
        raise BadFrame(f"a message of {size:,} bytes; at most {most:,} are read")
    return decode(_read(descriptor, size))


def write_frame(descriptor: int, data: bytes) -> None:
    """Write a frame to a blocking descriptor."""
    while data:
        data = data[os.write(descriptor, data) :]


def _read(descriptor: int, size: int) -> bytes:
    content = os.read(descriptor, size)
    if len(content) == size:
        return content
    parts = bytearray(content)
    while len(parts) < size:
        if not content:
            raise EOFError
        content = os.read(descriptor, size - len(parts))
        parts += content
    return bytes(parts)
