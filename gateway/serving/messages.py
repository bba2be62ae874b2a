"""Messages between the supervisor and a worker: a pickle at the start, then JSON lines.

They use a private socket pair, so tokens appear in no command line and no environment.
"""

from __future__ import annotations

import asyncio
import pickle
import socket
import struct
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import orjson

from soundstage.gateway.settings import Settings

if TYPE_CHECKING:
    from soundstage.gateway.upstream.config import Declaration

_LENGTH = struct.Struct("!I")


@dataclass(frozen=True, slots=True)
class Start:
    """The parameters of a worker. Workers authenticate each other with `key`."""

    settings: Settings
    declared: Sequence[Declaration]
    key: str


class ToWorker(TypedDict, total=False):
    """`peers`: the addresses of the running workers, by number. `end`: shut down in order, or at once."""

    peers: dict[str, str]
    end: Literal["in order", "at once"]


class FromWorker(TypedDict, total=False):
    """`address` is its address for other workers, sent when it is ready. `ending`: it accepts no more connections."""

    address: str
    ending: bool


def packed(start: Start) -> bytes:
    """Encode the start message of a worker."""
    content = pickle.dumps(start)
    return _LENGTH.pack(len(content)) + content


def receive_start(control: socket.socket) -> Start:
    """Wait for the supervisor's first message.

    Raises:
        EOFError: the supervisor is gone.
    """
    (length,) = _LENGTH.unpack(_exactly(control, _LENGTH.size))
    start: Start = pickle.loads(_exactly(control, length))  # noqa: S301  (from the process that started this one)
    return start


def send(writer: asyncio.StreamWriter, message: ToWorker | FromWorker) -> None:
    """Send a message unless the connection is closing."""
    if not writer.is_closing():
        writer.write(orjson.dumps(message) + b"\n")


async def receive(reader: asyncio.StreamReader) -> AsyncIterator[Any]:
    """Yield messages until the other side is gone."""
    try:
        while line := await reader.readline():
            yield orjson.loads(line)
    except ConnectionError:
        return


def _exactly(control: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size:
        if not (more := control.recv(size - len(received))):
            raise EOFError
        received += more
    return received
