"""Standard input and output of a process that serves one session: the first messages without the MCP SDK, all others with it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from io import TextIOWrapper
from typing import BinaryIO, cast

import anyio
import orjson

from soundstage.gateway.calls.call import Toolset
from soundstage.gateway.calls.service import CallService
from soundstage.gateway.mcp.handshake import Handshake, Id
from soundstage.gateway.sessions.session import Session

_PATIENCE_S = 0.25
"""Seconds that a client may be silent at first before the session and the SDK are prepared."""
_READ_AHEAD = 16  # lines that are read in advance
_CHUNK = 2**16
_File = anyio.AsyncFile[str]


async def serve_pipe(
    handshake: Handshake,
    session: Callable[[], Awaitable[Session]],
    find: Callable[[str], Awaitable[Session]],
    toolset: Toolset,
    calls: CallService,
) -> None:
    """Serve until the client closes stdin and has its answers. `SOUNDSTAGE_PLAIN=off` sends all messages to the SDK.

    `session` creates or opens the session after the first messages, because this may include building a world. `find`
    looks it up by its handle before each call, because a gateway may have deleted or replaced its file.
    """
    with _wire() as (read, write):
        lines = _Lines(read)
        if os.environ.get("SOUNDSTAGE_PLAIN") != "off":
            await _open(handshake, lines, write)
        opened = await session()
        if lines.ended:
            return
        from soundstage.gateway.mcp.stdio import serve_stdio

        gc.freeze()  # objects created at the start live until the end
        gc.enable()
        stdin = _Stdin(handshake.lines_for_sdk, lines)
        stdout = _Stdout(handshake.initialize_id, anyio.wrap_file(TextIOWrapper(write, encoding="utf-8")))
        await serve_stdio(opened, find, toolset, calls, cast(_File, stdin), cast(_File, stdout))


async def _open(handshake: Handshake, lines: _Lines, write: BinaryIO) -> None:
    with contextlib.suppress(TimeoutError):
        while not handshake.is_over and (line := await asyncio.wait_for(lines.next(), _PATIENCE_S)):
            if answer := handshake.answer(line):
                write.write(answer)
                write.flush()


class _Lines:
    """Reads the client's lines in a thread, so that a silent client does not block anything else."""

    def __init__(self, file: int) -> None:
        self.ended = False
        self._read: asyncio.Queue[str] = asyncio.Queue(_READ_AHEAD)
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._fill, args=(file, loop), name="stdin", daemon=True).start()

    async def next(self) -> str:
        """Return the next line; empty at the end."""
        line = await self._read.get()
        self.ended = not line
        return line

    def _fill(self, file: int, loop: asyncio.AbstractEventLoop) -> None:
        with contextlib.suppress(RuntimeError):  # the event loop has ended
            for line in _split(file):
                asyncio.run_coroutine_threadsafe(self._read.put(line.decode("utf-8", "replace")), loop).result()


def _split(file: int) -> Iterator[bytes]:
    """Yield the lines of a file with their line ends, then an empty one."""
    rest = bytearray()
    while chunk := os.read(file, _CHUNK):
        searched = len(rest)
        rest += chunk
        while (end := rest.find(b"\n", searched) + 1) > 0:
            yield bytes(rest[:end])
            del rest[:end]
            searched = 0
    if rest:
        yield bytes(rest)
    yield b""


class _Stdin:
    """The SDK's standard input: `earlier` are the lines read before the SDK was loaded, then the following ones."""

    def __init__(self, earlier: list[str], lines: _Lines) -> None:
        self._earlier = earlier
        self._lines = lines

    async def __aiter__(self) -> AsyncIterator[str]:
        for line in self._earlier:
            yield line
        while line := await self._lines.next():
            yield line


class _Stdout:
    """The SDK's standard output, without the reply to the request `answered`, which the client already has."""

    def __init__(self, answered: Id | None, file: _File) -> None:
        self._answered = answered
        self._file = file

    async def write(self, line: str) -> None:
        if self._answered is not None and orjson.loads(line).get("id") == self._answered:
            self._answered = None
        else:
            await self._file.write(line)

    async def flush(self) -> None:
        await self._file.flush()


@contextlib.contextmanager
def _wire() -> Iterator[tuple[int, BinaryIO]]:
    """Reserve standard input and output for the protocol.

    Output that is printed by mistake goes to stderr meanwhile, and no other code reads the client's messages.
    """
    if sys.platform == "win32":  # Windows handles do not follow dup2
        yield sys.stdin.fileno(), sys.stdout.buffer
        return
    read, write = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    try:
        # Not closed: a thread may still be reading when serving has ended.
        yield read, os.fdopen(write, "wb", closefd=False)
    finally:
        os.dup2(read, 0)
        os.dup2(write, 1)
