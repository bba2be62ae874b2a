"""Standard input and output of a process that serves one session: its first words without the MCP SDK, all others with it."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import AsyncIterator, Iterator
from io import TextIOWrapper
from typing import BinaryIO, cast

import anyio
import orjson

from soundstage.gateway.calls.face import Face
from soundstage.gateway.calls.make import Calls
from soundstage.gateway.mcp.opening import Id, Opening
from soundstage.gateway.sessions.session import Session

_Lines = anyio.AsyncFile[str]


async def serve_pipe(session: Session, face: Face, calls: Calls) -> None:
    """Serve until the client closes stdin. `SOUNDSTAGE_PLAIN=off` leaves every word to the SDK."""
    opening = Opening(session, face)
    opening.over = os.environ.get("SOUNDSTAGE_PLAIN") == "off"
    with _wire() as (read, write):
        stdin = anyio.wrap_file(TextIOWrapper(read, encoding="utf-8", errors="replace"))
        while not opening.over:
            line = await stdin.readline()
            if not line:
                return
            if answer := opening.answer(line):
                write.write(answer)
                write.flush()
        stdout = anyio.wrap_file(TextIOWrapper(write, encoding="utf-8"))
        from soundstage.gateway.mcp.stdio import serve_stdio

        gc.freeze()  # what starting has made stays
        gc.enable()
        heard, told = _Heard(opening.heard, stdin), _Told(opening.greeted, stdout)
        await serve_stdio(session, face, calls, cast(_Lines, heard), cast(_Lines, told))


class _Heard:
    """What the client says, beginning with the lines of `again`."""

    def __init__(self, again: list[str], file: _Lines) -> None:
        self._again = again
        self._file = file

    async def __aiter__(self) -> AsyncIterator[str]:
        for line in self._again:
            yield line
        async for line in self._file:
            yield line


class _Told:
    """What the client is told, without the answer to the request `answered`, which it has already."""

    def __init__(self, answered: Id | None, file: _Lines) -> None:
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
def _wire() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Standard input and output for the protocol alone: what is printed by mistake goes to stderr meanwhile, and nobody else
    reads what the client says.
    """
    if sys.platform == "win32":  # its handles do not follow
        yield sys.stdin.buffer, sys.stdout.buffer
        return
    read, write = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    try:
        # Not closed: a thread may still wait for the client's next word when serving has ended.
        yield os.fdopen(read, "rb", closefd=False), os.fdopen(write, "wb", closefd=False)
    finally:
        os.dup2(read, 0)
        os.dup2(write, 1)
