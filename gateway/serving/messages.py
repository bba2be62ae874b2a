"""What the supervisor and a worker tell each other: a pickle at the start, then JSON, one object a line.

All of it goes through a socket that the two alone hold: tokens stand in no command line and no environment.
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
    """What a worker is told at its start. Workers show each other `key`."""

    settings: Settings
    declared: Sequence[Declaration]
    key: str


class ToWorker(TypedDict, total=False):
    """`peers`: the addresses of the workers that run, by number. `end`: finish in order, or at once."""

    peers: dict[str, str]
    end: Literal["in order", "at once"]


class FromWorker(TypedDict, total=False):
    """`address`: where its peers reach it, told when it is ready. `ending`: it takes no more connections."""

    address: str
    ending: bool


def packed(start: Start) -> bytes:
    content = pickle.dumps(start)
    return _LENGTH.pack(len(content)) + content


def receive_start(control: socket.socket) -> Start:
    """Wait for what the supervisor says first.

    Raises:
        EOFError: when it is gone.
    """
    (length,) = _LENGTH.unpack(_exactly(control, _LENGTH.size))
    start: Start = pickle.loads(_exactly(control, length))  # noqa: S301  (from the process that started this one)
    return start


def say(writer: asyncio.StreamWriter, message: ToWorker | FromWorker) -> None:
    if not writer.is_closing():
        writer.write(orjson.dumps(message) + b"\n")


async def hear(reader: asyncio.StreamReader) -> AsyncIterator[Any]:
    """Messages until the other side is gone."""
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
