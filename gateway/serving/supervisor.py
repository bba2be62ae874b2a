"""`soundstage serve --workers N`: start the workers, restart them, and give each the connections of its sessions."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

import soundstage
from soundstage.gateway.log import log
from soundstage.gateway.serving.acceptor import Acceptor
from soundstage.gateway.serving.crew import PeerWorkers
from soundstage.gateway.serving.messages import FromWorker, Start, ToWorker, packed, receive, send
from soundstage.gateway.serving.server import FORCED
from soundstage.gateway.settings import Settings
from soundstage.gateway.share import Share
from soundstage.worlds import built, library, load_world, own_folder

if TYPE_CHECKING:
    from soundstage.gateway.upstream.config import Declaration

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0
_STEADY_S = 10.0
_END_S = 20.0  # a worker gives open calls five seconds, then stops upstreams and closes contexts
_FORCED_END_S = 2.0

_ROOT = Path(soundstage.__file__).parents[1]
# The same modules as in this process, wherever they are; -P excludes the current folder.
_BOOT = (
    "import sys; r = sys.argv[1]; r in sys.path or sys.path.insert(0, r); "
    "from importlib import import_module; import_module(sys.argv[2]).main()"
)


class Supervisor:
    """The process that listens. It serves no requests itself."""

    def __init__(
        self,
        listener: socket.socket,
        settings: Settings,
        declared: Sequence[Declaration],
        workers: int,
        worker: str,
    ) -> None:
        self._listener = listener
        self._settings = settings
        self._declared = declared
        self._workers = workers
        self._worker = worker
        self._key = secrets.token_urlsafe(24)
        self._running: dict[int, Worker] = {}
        self._complete = False  # whether all workers have started
        self._failed = False

    def run(self) -> int:
        """Serve until a signal. Returns the exit code, 0 if everything ended in order."""
        loop_factory = uvicorn.Config("", log_config=None).get_loop_factory()  # the same loop as the workers'
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            return runner.run(self._run())

    async def _run(self) -> int:
        loop = asyncio.get_running_loop()
        self._ending = asyncio.Event()
        self._forced = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._on_signal)
        # Built here, because otherwise each worker would build it.
        settings = self._settings
        folder = settings.built or settings.worlds
        built(load_world(settings.world, own_folder(settings.worlds)), folder)
        library.built(folder)
        self._crew = PeerWorkers(self._workers)
        keeping = [loop.create_task(self._keep(index)) for index in range(self._workers)]
        self._acceptor = Acceptor(self._listener, self._crew, silent_s=self._settings.head_s)
        gc.enable()
        await self._ending.wait()

        log.info("ending: the workers finish what they serve")
        self._tell_all(ToWorker(end="in order"))
        await self._acceptor.finish()
        self._crew.close()
        await self._wait_for(keeping)
        return FORCED if self._failed else 0

    def _on_signal(self) -> None:
        if self._ending.is_set():
            self._forced.set()
        self._ending.set()

    async def _wait_for(self, keeping: list[asyncio.Task[None]]) -> None:
        """Wait until every worker has ended; kill those that take too long."""
        forced = asyncio.create_task(self._wait_until_forced())
        pending: set[asyncio.Task[None]] = set(keeping)
        while pending and not forced.done():
            _, pending = await asyncio.wait({forced, *pending}, return_when=asyncio.FIRST_COMPLETED)
            pending.discard(forced)
        forced.cancel()
        if pending:
            self._failed = True
            self._tell_all(ToWorker(end="at once"))
            await asyncio.wait(pending, timeout=_FORCED_END_S)
        for worker in self._running.values():
            log.error("a worker did not end; killed", worker=worker.index)
            worker.process.kill()
        await asyncio.gather(*keeping)

    async def _wait_until_forced(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_END_S):
                await self._forced.wait()

    def _tell_all(self, message: ToWorker) -> None:
        for worker in self._running.values():
            send(worker.writer, message)

    async def _keep(self, index: int) -> None:
        """Run worker `index` and restart it whenever it ends, until the shutdown."""
        clock = asyncio.get_running_loop().time
        pause = _FIRST_PAUSE_S
        while not self._ending.is_set():
            began = clock()
            code = await self._run_one(index)
            if self._ending.is_set():
                self._failed = self._failed or code != 0
            elif not self._complete:
                log.error("a worker did not come up", worker=index, code=code)
                self._failed = True
                self._ending.set()
            else:
                pause = _FIRST_PAUSE_S if clock() - began > _STEADY_S else min(pause * 2, _LONGEST_PAUSE_S)
                log.error("a worker ended; starting another", worker=index, code=code, pause_s=pause)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await self._ending.wait()

    async def _run_one(self, index: int) -> int:
        """Run one worker from its start to its end. Returns its exit code."""
        try:
            worker = await self._start(index)
        except OSError as error:  # processes or memory are exhausted
            log.error("a worker cannot be started", worker=index, reason=str(error))
            return FORCED
        self._running[index] = worker
        if self._ending.is_set():
            send(worker.writer, ToWorker(end="in order"))
        async for message in receive(worker.reader):
            self._on_message(worker, message)
        code = await worker.process.wait()
        del self._running[index]
        self._crew.leave(index)
        worker.arrivals.close()
        worker.writer.close()
        self._tell_peers()
        return code

    async def _start(self, index: int) -> Worker:
        control, theirs = socket.socketpair()
        arrivals, taken = socket.socketpair()
        with theirs, taken:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-c",
                _BOOT,
                str(_ROOT),
                self._worker,
                str(theirs.fileno()),
                str(taken.fileno()),
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(), taken.fileno()),
            )
        reader, writer = await asyncio.open_unix_connection(sock=control)
        share = Share(index, self._workers)
        writer.write(packed(Start(replace(self._settings, share=share), self._declared, self._key)))
        return Worker(index, process, reader, writer, arrivals)

    def _on_message(self, worker: Worker, message: FromWorker) -> None:
        if "address" in message:
            worker.address = message["address"]
            self._crew.join(worker.index, worker.arrivals)
            self._tell_peers()
            if not self._complete and sum(w.address is not None for w in self._running.values()) == self._workers:
                self._complete = True
                self._acceptor.start()
        if "ending" in message and not self._ending.is_set():
            self._crew.leave(worker.index)

    def _tell_peers(self) -> None:
        peers = {str(w.index): w.address for w in self._running.values() if w.address is not None}
        self._tell_all(ToWorker(peers=peers))


class Worker:
    """A running worker. `address` is where other workers reach it, once it is ready."""

    def __init__(
        self,
        index: int,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        arrivals: socket.socket,
    ) -> None:
        self.index = index
        self.process = process
        self.reader = reader
        self.writer = writer
        self.arrivals = arrivals
        self.address: str | None = None
