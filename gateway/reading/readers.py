"""The readers of a gateway: their number, the distribution of work, and the end of abandoned work."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from typing_extensions import TypeVarTuple, Unpack

import soundstage
from soundstage.gateway.log import log
from soundstage.gateway.reading.frames import HEAD, PART, STOP, VALUE, WORK, Work, load_error, to_frame

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

AT_ONCE = 2
MOST_WAITING = 32
NICENESS = 19
"""The niceness of readers, so that calls take precedence on few processors."""
_TAKEN_WITHIN_S = 60.0
"""Seconds without progress after which a slow client loses its answer, because others wait for the reader."""
_STOPS_WITHIN_S = 0.5
_ENDS_WITHIN_S = 2.0
_PIPE = 128 * 1024
_NOT_WHOLE = "the answer is not whole: the process that made it has ended; try again"
# The same modules as in this process, wherever they are; -P excludes the current folder.
_BOOT = (
    "import sys; r = sys.argv[1]; r in sys.path or sys.path.insert(0, r); "
    "from soundstage.gateway.reading.process import main; main()"
)
_ROOT = Path(soundstage.__file__).parents[1]


class TooManyReadings(Exception):
    """Too much reading is already running and waiting."""

    def __init__(self, at_once: int, waiting: int) -> None:
        super().__init__(
            f"large sessions are being read already: {at_once} readings are under way and {waiting} wait; "
            "try again in a few seconds"
        )


class ReadingBroken(Exception):
    """A reader ended during its work; the answer is incomplete."""


class Readers:
    """Processes for long work, started on demand, `at_once` at most.

    `waiting` is the maximum number of waiting callers. Readers use the library below the folder `library`. `nicer` is their
    niceness (0 to 19).
    """

    def __init__(
        self, *, at_once: int = AT_ONCE, waiting: int = MOST_WAITING, library: Path | None = None, nicer: int = NICENESS
    ) -> None:
        self._library = library
        self._nicer = nicer
        self._at_once = at_once
        self._most_waiting = waiting
        self._turns = asyncio.Semaphore(at_once)
        self._waiting = 0
        self._idle: list[_Reader] = []
        self._all: set[_Reader] = set()
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def working(self) -> int:
        """The number of busy readers, including those that are being stopped."""
        return len(self._all) - len(self._idle)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[ReaderTurn]:
        """Reserve a reader for the block. Work that still runs at the end of the block is stopped.

        Raises:
            TooManyReadings: too much is running already.
        """
        await self._wait()
        turn = ReaderTurn(self._take)
        try:
            yield turn
        finally:
            if turn.done:
                self._give_back(turn.reader)
            else:
                # The caller does not wait for it; the next one waits until the processor is free again.
                task = asyncio.get_running_loop().create_task(self._stop(turn.reader))
                self._ending.add(task)
                task.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """Stop all readers."""
        for reader in self._all:
            reader.kill()
        await asyncio.gather(*self._ending, *(reader.ended() for reader in self._all))

    async def _wait(self) -> None:
        if self._turns.locked() and self._waiting >= self._most_waiting:
            raise TooManyReadings(self._at_once, self._waiting)
        self._waiting += 1
        try:
            await self._turns.acquire()
        finally:
            self._waiting -= 1

    async def _take(self) -> _Reader:
        while self._idle:
            if (reader := self._idle.pop()).is_there:
                return reader
            self._all.discard(reader)
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                *(
                    sys.executable,
                    "-P",
                    "-c",
                    _BOOT,
                    str(_ROOT),
                    str(self._nicer),
                    *(() if self._library is None else (str(self._library),)),
                ),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                limit=_PIPE,
            )
        )
        try:
            process = await asyncio.shield(starting)
        except asyncio.CancelledError:
            starting.add_done_callback(_killed)
            raise
        reader = _Reader(process)
        self._all.add(reader)
        return reader

    def _give_back(self, reader: _Reader | None) -> None:
        if reader is not None:
            self._idle.append(reader)
        self._turns.release()

    async def _stop(self, reader: _Reader | None) -> None:
        """Stop a reader's work, forcibly if necessary, and pass it to the next caller."""
        if reader is not None and not await reader.stops(within_s=_STOPS_WITHIN_S):
            self._all.discard(reader)
            await reader.ended()
            reader = None
        self._give_back(reader)


class ReaderTurn:
    """A reserved reader, for one piece of work after another. `done` means that it is idle."""

    def __init__(self, take: Callable[[], Awaitable[_Reader]]) -> None:
        self._take = take
        self.reader: _Reader | None = None
        self.done = True

    async def answer(self, work: Callable[[Unpack[Ts]], T], *arguments: *Ts) -> T:
        """Call a function in the reader and return its result. Function, arguments and result must be picklable.

        Raises:
            ReadingBroken: the reader ended.
            Exception: the function raised it.
        """
        reader = await self._begin(work, arguments)
        _, content = await self._receive(reader)
        answer: T = pickle.loads(content)  # noqa: S301 from a process of our own
        return answer

    async def parts(self, work: Callable[[Unpack[Ts]], Iterator[bytes]], *arguments: *Ts) -> AsyncGenerator[bytes]:
        """Yield the parts that a function yields in the reader.

        Raises:
            ReadingBroken, Exception: see `answer`.
        """
        reader = await self._begin(work, arguments)
        while True:
            mark, content = await self._receive(reader)
            if mark == VALUE:
                return
            too_long = asyncio.get_running_loop().call_later(_TAKEN_WITHIN_S, reader.kill)
            try:
                yield content
            finally:
                too_long.cancel()

    async def _begin(self, work: Callable[..., Any], arguments: tuple[Any, ...]) -> _Reader:
        content = pickle.dumps(Work(work, arguments))
        self.reader = reader = self.reader or await self._take()
        self.done = False
        reader.send(WORK, content)
        return reader

    async def _receive(self, reader: _Reader) -> tuple[bytes, bytes]:
        mark, content = await reader.receive()
        self.done = mark != PART
        if mark not in (PART, VALUE):
            raise load_error(content)
        return mark, content


class _Reader:
    """One process, and the pipes to it."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._input, self._output = process.stdin, process.stdout

    @property
    def is_there(self) -> bool:
        """Whether the process runs."""
        return self._process.returncode is None

    def send(self, mark: bytes, content: bytes = b"") -> None:
        """Send a frame; delivery is not guaranteed.

        Raises:
            ReadingBroken: the process has ended.
        """
        if self._input.is_closing():  # uvloop would raise its own error
            raise ReadingBroken(_NOT_WHOLE)
        self._input.write(to_frame(mark, content))

    async def receive(self) -> tuple[bytes, bytes]:
        """Receive the next frame.

        Raises:
            ReadingBroken: the process has ended.
        """
        try:
            mark, length = HEAD.unpack(await self._output.readexactly(HEAD.size))
            return mark, await self._output.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise ReadingBroken(_NOT_WHOLE) from None

    async def stops(self, *, within_s: float) -> bool:
        """Ask the process to stop its work, and kill it after the time limit. Returns False if it was killed."""
        try:
            self.send(STOP)
            async with asyncio.timeout(within_s):
                while (await self.receive())[0] == PART:
                    pass
        except (ReadingBroken, TimeoutError):
            self.kill()
            return False
        except BaseException:
            self.kill()
            raise
        return True

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()

    async def ended(self) -> None:
        with suppress(ConnectionError):
            self._input.close()
        try:
            async with asyncio.timeout(_ENDS_WITHIN_S):
                await self._process.wait()
        except TimeoutError:
            log.error("a reader could not be ended", pid=self._process.pid)


def _killed(starting: asyncio.Future[Process]) -> None:
    if not starting.cancelled() and starting.exception() is None:
        starting.result().kill()
