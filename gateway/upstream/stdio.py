"""Upstreams as child processes of the gateway: messages over stdin and stdout, and termination of all their descendants."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path

from soundstage.gateway.log import log
from soundstage.gateway.upstream.config import CommandServer, Declaration
from soundstage.gateway.upstream.messages import MAX_MESSAGE, Message, UpstreamFailure, parse_message

_GRACE_S = 2.0
_LAST_WORDS = 5
_LAST_WORDS_S = 0.5
_INHERITED = (
    ("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE", "SYSTEMDRIVE",
     "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE")
    if sys.platform == "win32"
    else ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ")
)  # fmt: skip


class StdioPipe:
    """One process. `on_message` receives its messages, `on_end` (once) the reason why it sends no more."""

    def __init__(
        self,
        declaration: Declaration,
        watchdog: Watchdog,
        on_message: Callable[[Message], None],
        on_end: Callable[[str], None],
    ) -> None:
        self._declaration = declaration
        self._watchdog = watchdog
        self._on_message = on_message
        self._on_end = on_end
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._errors: asyncio.Task[None]
        self._stderr: deque[str] = deque(maxlen=_LAST_WORDS)
        self._garbage: deque[str] = deque(maxlen=1)
        self._closing = False
        self._reason: asyncio.Future[str]

    async def open(self) -> None:
        """Start the process.

        Raises:
            UpstreamFailure: it cannot be started.
        """
        server = self._declaration.server
        assert isinstance(server, CommandServer)
        environment = {name: os.environ[name] for name in _INHERITED if name in os.environ} | dict(server.env)
        command = shutil.which(server.command, path=environment.get("PATH")) or server.command
        try:
            self._process = await asyncio.create_subprocess_exec(
                command,
                *server.args,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=environment,
                cwd=server.cwd,
                limit=MAX_MESSAGE,
                start_new_session=os.name == "posix",
            )
        except (OSError, ValueError) as error:
            reason = self._declaration.redact(str(error))
            public = f"the upstream {self._declaration.name!r} cannot be started"
            raise UpstreamFailure(f"{public}: {reason}", public=public) from None
        self._watchdog.add(self._process.pid)
        self._reason = asyncio.get_running_loop().create_future()
        self._errors = asyncio.create_task(self._read_errors())
        self._tasks = [asyncio.create_task(self._read()), self._errors]

    async def send(self, data: bytes) -> None:
        """Write one message.

        Raises:
            ConnectionError: the process has ended; the message contains its exit status and last output.
        """
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            if self._process.stdin.is_closing():  # uvloop would raise its own error
                raise ConnectionResetError("its standard input is closed")
            self._process.stdin.write(data + b"\n")
            await self._process.stdin.drain()
        except ConnectionError as error:
            raise ConnectionError(await self._why_it_ended() or str(error)) from None

    async def _why_it_ended(self) -> str:
        """Return the reason of a failed write: the process's end explains more, and may follow shortly."""
        assert self._process is not None
        if not self._closing and await _ended(self._process, _GRACE_S):
            await asyncio.wait({self._reason}, timeout=_GRACE_S)
        return self._reason.result() if self._reason.done() else ""

    def notes(self) -> str:
        """Return its output that is not a message, to explain why it is silent."""
        return f"; it wrote output that is not JSON-RPC: {self._garbage[-1]!r}" if self._garbage else ""

    async def close(self) -> None:
        """Close its stdin; if that does not end it, kill it and its descendants."""
        self._closing = True
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            for end in (None, signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
                if end is not None:
                    _end_group(process.pid, end)
                if await _ended(process, _GRACE_S):
                    break
        finally:
            _end_group(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))  # processes that it left running
            self._watchdog.remove(process.pid)
            for task in self._tasks:
                task.cancel()

    async def _read(self) -> None:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        reason = ""
        try:
            while line := await process.stdout.readline():
                message = parse_message(line)
                if message is not None:
                    self._on_message(message)
                elif line.strip():
                    self._note_garbage(line)
        except ValueError:
            reason = f"wrote a line of more than {MAX_MESSAGE} bytes"
        except OSError as error:
            reason = f"cannot be read ({error})"
        if not self._closing:
            await _ended(process, _GRACE_S)
            # Its last output may still be in the pipe, which a descendant may hold open.
            await asyncio.wait({self._errors}, timeout=_LAST_WORDS_S)
            self._reason.set_result(reason or self._last_words(process.returncode))
            self._on_end(self._reason.result())
            await self.close()

    def _note_garbage(self, line: bytes) -> None:
        shown = self._declaration.redact(line[:200].decode("utf-8", "replace").strip())
        if not self._garbage:
            log.warning(
                "an upstream wrote to stdout output that is not JSON-RPC", upstream=self._declaration.name, line=shown
            )
        self._garbage.append(shown)

    async def _read_errors(self) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        with contextlib.suppress(OSError, ValueError):
            while line := await self._process.stderr.readline():
                shown = self._declaration.redact(line[:2000].decode("utf-8", "replace").rstrip())
                self._stderr.append(shown)
                log.info("upstream's stderr", upstream=self._declaration.name, line=shown)

    def _last_words(self, code: int | None) -> str:
        lines = " / ".join(line for line in self._stderr if line)
        ended = "closed its stdout" if code is None else f"ended with {code}"
        return f"{ended}; its last words: {lines}" if lines else ended


async def _ended(process: asyncio.subprocess.Process, seconds: float) -> bool:
    """Whether the process ends in time. It polls, because `wait()` also waits for pipes that a grandchild may hold."""
    deadline = asyncio.get_running_loop().time() + seconds
    while process.returncode is None:
        if asyncio.get_running_loop().time() >= deadline:
            return False
        await asyncio.sleep(0.01)
    return True


def _end_group(pid: int, number: int) -> None:
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, number)
    else:
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(pid)], capture_output=True, check=False)  # noqa: S603, S607


class Watchdog:
    """A small process that kills the others if the gateway is killed and cannot do it itself."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, pid: int) -> None:
        """Watch a process group, which ends with this process."""
        if os.name != "posix":
            return
        if self._process is None or self._process.poll() is not None:
            program = Path(__file__).with_name("watchdog.py")
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-I", "-S", str(program)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._tell(b"+%d\n" % pid)

    def remove(self, pid: int) -> None:
        """Stop watching a process group, which has ended."""
        self._tell(b"-%d\n" % pid)

    def _tell(self, line: bytes) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.write(line)
                self._process.stdin.flush()

    def stop(self) -> None:
        """End the watchdog, which kills the remaining processes."""
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            self._process.wait()
            self._process = None
