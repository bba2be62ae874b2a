"""The gateway's side of the confined process: it is started here, and each call gets a fresh worker that is ready already.

A worker's messages are hostile input. All that a worker can reach is `Operations` on the entities of its call's app. Limits of
time and memory end the worker and raise `BudgetExceeded`; a worker that crashes or sends nonsense raises `KernelCrashed`, which
the app answers as its internal error.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Mapping
from functools import cache
from math import inf
from pathlib import Path, PurePosixPath
from typing import Any, get_args

import soundstage
from soundstage import app_roots
from soundstage.contexts.engine import budget
from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.budget import CALL_CPU_S, BudgetExceeded
from soundstage.contexts.engine.clock import to_ms
from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.confined.layers import LAYERS, REQUIRED
from soundstage.servers.confined.operations import BadRequest, Operations, Refusal
from soundstage.servers.confined.protocol import (
    HEAD,
    MOST_FROM_WORKER,
    MOST_REPORTED,
    MOST_REQUESTS,
    MOST_SENT,
    MOST_TO_WORKER,
    BadFrame,
    Call,
    Outcome,
    decode,
    frame,
)

READY = 8
"""Workers that wait for calls. Each is a fork that shares most of its memory."""
_MISSING = 3
"""New workers are forked when this number is missing."""
WALL_S = 1.0
"""Seconds that a call may take in addition to its CPU time, by the wall clock."""
_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from soundstage.servers.confined.worker import main; main()"
_START_S = 60.0
_COMMAND_S = 60.0
_MOST_SOURCES = 16 * 2**20
_KINDS = frozenset(get_args(ErrorKind))
_POLL = struct.pack("ll", 0, 100_000)
"""A blocked read or write returns after this time (a `struct timeval`), so that the deadline is checked."""


class Unconfined(RuntimeError):
    """Kernels that are not trusted cannot run here; the message says why."""


class KernelCrashed(RuntimeError):
    """A kernel raised an exception that is not a refusal, or its worker crashed or sent nonsense."""


class _Gone(Exception):
    """The worker has closed its socket."""


class _Silent(Exception):
    """The worker has not answered within the call's time."""


@cache
def sources_of(app: str) -> Mapping[str, str]:
    """Return the accepted kernels of an app of a root as source text, by path."""
    root = app_roots.root_of(app)
    assert root is not None
    folder = PurePosixPath("kernels", app)
    paths = [p for p in root.accepted(app) if PurePosixPath(p).is_relative_to(folder) and root.has(app, p)]
    return {path: root.read(app, path).decode("utf-8", "replace") for path in paths}


class Kernel:
    """A kernel that runs in the confined process; it is called as those of the package are."""

    def __init__(self, app: str, module: str, process: ConfinedProcess | None = None) -> None:
        self._app = app
        self._module = module
        self._process = process

    def __call__(self, context: AppContext, arguments: Arguments) -> Reply:
        """Run the kernel.

        Raises:
            AppError: the app refuses.
            BudgetExceeded: the call took more time or memory than a call may.
            KernelCrashed: see there.
            Unconfined: the process cannot be started.
        """
        process = self._process or shared()
        return process.call(self._app, sources_of(self._app), self._module, context, arguments)


class _Worker:
    """A fork that waits for its call."""

    __slots__ = ("number", "socket")

    def __init__(self, number: int, ours: socket.socket) -> None:
        self.number = number
        self.socket = ours


class ConfinedProcess:
    """One confined process with its workers. It is started by the first use, and again when it has died."""

    def __init__(self, ready: int = READY) -> None:
        self._ready_wanted = ready
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._process_id = 0
        self._control: socket.socket | None = None
        self._ready: deque[_Worker] = deque()
        self._done: list[int] = []
        self._number = 0
        self._loaded: dict[tuple[str, int], int] = {}
        self._errors: dict[int, dict[str, str]] = {}
        self._sources: list[Mapping[str, str]] = []
        self._layers: tuple[str, ...] = ()
        self.reported_us = 0
        """Microseconds of CPU that the last call's worker reported. It may lie: use them for figures alone."""

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers of confinement that the process got, of `LAYERS`; it is started for it.

        Raises:
            Unconfined: it cannot be started.
        """
        with self._lock:
            self._running()
            return self._layers

    @property
    def process_id(self) -> int:
        """The id of the process that was started last, 0 before; its workers are below it."""
        return self._process_id

    def call(
        self, app: str, sources: Mapping[str, str], module: str, context: AppContext, arguments: Arguments
    ) -> Reply:
        """Run one kernel of an app for one call; see `Kernel`."""
        cpu_s = budget.REPLAY_CPU_S if CALL_CPU_S < budget.left() < inf else CALL_CPU_S
        for attempt in (1, 2):
            with self._lock:
                code = self._code(app, sources)
                if (error := self._errors[code].get(f"kernels/{app}/{module}.py")) is not None:
                    raise KernelCrashed(error)
                worker = self._take(cpu_s)
            call = _Conversation(worker, context, cpu_s)
            try:
                reply = call.run(code, app, module, arguments)
            except _Gone:
                status = self._status(worker)
                if _is_foreign(status) and call.requests == 0 and attempt == 1:
                    continue  # and nothing of the call has happened
                raise _ending(status) from None
            except _Silent:
                self._status(worker)
                raise BudgetExceeded(f"the call took more than {cpu_s + WALL_S:g} s") from None
            except BaseException:
                self._finished(worker)
                raise
            self._finished(worker)
            self.reported_us = call.reported_us
            return reply
        raise AssertionError

    def close(self) -> None:
        """End the process and all its workers."""
        with self._lock:
            self._forget()

    # -- the process --------------------------------------------------------------------------------------------------

    def _running(self) -> socket.socket:
        if self._control is None:
            self._start()
        assert self._control is not None
        return self._control

    def _start(self) -> None:
        if not hasattr(os, "fork"):
            raise Unconfined("kernels that are not trusted need a system that can fork, such as Linux")
        ours, theirs = socket.socketpair()
        package = Path(soundstage.__file__).parent.parent
        with (
            theirs,
            tempfile.TemporaryDirectory(prefix="soundstage-empty-", ignore_cleanup_errors=True) as folder,
            tempfile.TemporaryFile() as errors,
        ):
            os.chmod(folder, 0o555)  # noqa: S103 it is empty, and another user has to enter it
            command = [sys.executable, "-I", "-S", "-c", _BOOT, str(package), folder, str(theirs.fileno())]
            process = subprocess.Popen(  # noqa: S603 this Python, and code of our own
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, env={}, cwd="/",
                pass_fds=(theirs.fileno(),), start_new_session=True,
            )  # fmt: skip
            theirs.close()
            ours.settimeout(_START_S)
            try:
                self._layers = tuple(str(layer) for layer in _frame_of(ours)["layers"] if layer in LAYERS)
            except (OSError, EOFError, BadFrame, KeyError, TypeError):
                _kill(process)
                ours.close()
                errors.seek(0)
                output = errors.read()[-2000:].decode("utf-8", "replace").strip()
                raise Unconfined(f"the confined process does not start: {output or 'it reported nothing'}") from None
        ours.settimeout(_COMMAND_S)
        self._process, self._control, self._process_id = process, ours, process.pid
        self._fill()

    def _forget(self) -> None:
        """Close everything that belongs to the process, and wait for its end."""
        for worker in self._ready:
            worker.socket.close()
        self._ready.clear()
        self._done.clear()
        self._loaded.clear()
        self._errors.clear()
        self._sources.clear()
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            _kill(self._process)
            self._process = None

    def _command(self, message: Mapping[str, Any], descriptors: tuple[int, ...] = ()) -> None:
        socket.send_fds(self._running(), [frame(message, _MOST_SOURCES)], descriptors)

    def _request(self, message: Mapping[str, Any], member: str) -> Any:
        self._command(message)
        return _frame_of(self._running())[member]

    # -- the code of apps ---------------------------------------------------------------------------------------------

    def _code(self, app: str, sources: Mapping[str, str]) -> int:
        """The number under which the process has an app's code."""
        self._running()
        key = (app, id(sources))
        if (code := self._loaded.get(key)) is None:
            code = self._loaded[key] = len(self._sources)
            self._sources.append(sources)  # so that its id stays its own
            try:
                self._load(code, app, sources)
            except (OSError, EOFError, BadFrame, KeyError):
                self._forget()
                raise Unconfined("the confined process has ended while it loaded an app") from None
        return code

    def _load(self, code: int, app: str, sources: Mapping[str, str]) -> None:
        errors = self._request({"load": code, "app": app, "files": dict(sources)}, "loaded")
        self._errors[code] = {str(path): str(error) for path, error in errors.items()}
        while self._ready:  # they do not have it
            self._drop(self._ready.popleft())
        self._fill()

    # -- workers ------------------------------------------------------------------------------------------------------

    def _take(self, cpu_s: float) -> _Worker:
        """Return a worker that waits for its call: a ready one, or for a replay a new one with more time."""
        if cpu_s != CALL_CPU_S:
            return self._forked(1, cpu_s)[0]
        if not self._ready:
            self._fill()
        return self._ready.popleft()

    def _fill(self) -> None:
        self._ready.extend(self._forked(self._ready_wanted - len(self._ready), CALL_CPU_S))

    def _forked(self, count: int, cpu_s: float) -> list[_Worker]:
        """Have new workers forked, and those ended that are done."""
        self._running()
        pairs = [socket.socketpair() for _ in range(count)]
        numbers = [self._number + i for i in range(count)]
        self._number += count
        done, self._done = self._done, []
        try:
            descriptors = tuple(theirs.fileno() for _, theirs in pairs)
            self._command({"fork": numbers, "cpu_s": cpu_s, "done": done}, descriptors)
        except OSError:
            for ours, _ in pairs:
                ours.close()
            self._forget()
            raise Unconfined("the confined process has ended") from None
        finally:
            for _, theirs in pairs:
                theirs.close()
        for ours, _ in pairs:
            for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
                ours.setsockopt(socket.SOL_SOCKET, option, _POLL)
        return [_Worker(number, ours) for number, (ours, _) in zip(numbers, pairs, strict=True)]

    def _drop(self, worker: _Worker) -> None:
        worker.socket.close()
        self._done.append(worker.number)

    def _finished(self, worker: _Worker) -> None:
        """Put another worker in the place of one that has served its call."""
        with self._lock:
            self._drop(worker)
            if self._control is not None and len(self._ready) <= self._ready_wanted - _MISSING:
                with contextlib.suppress(Unconfined):  # the next call starts another process
                    self._fill()

    def _status(self, worker: _Worker) -> int | None:
        """End a worker and return its wait status; None where the process has died with it."""
        with self._lock:
            worker.socket.close()
            if self._control is None:
                return None
            try:
                status = int(self._request({"end": worker.number}, "status"))
            except (OSError, EOFError, BadFrame, KeyError, ValueError):
                self._forget()
                return None
            return status


class _Conversation:
    """One call's messages with its worker."""

    def __init__(self, worker: _Worker, context: AppContext, cpu_s: float) -> None:
        self._socket = worker.socket
        self._context = context
        self._operations = Operations(context)
        self._cpu_s = cpu_s
        self._until = time.monotonic() + cpu_s + WALL_S
        self._received = 0
        self.requests = 0
        self.reported_us = 0

    def run(self, code: int, app: str, module: str, arguments: Arguments) -> Reply:
        """Send the call, answer what the worker asks, and return the kernel's reply."""
        call: Call = {
            "code": code, "app": app, "module": module, "now_ms": to_ms(self._context.now()), "arguments": arguments,
        }  # fmt: skip
        self._send(_checked_frame(call))
        while True:
            message = self._receive()
            if isinstance(message, dict):
                took = message.pop("cpu_us", 0)
                self.reported_us = took if isinstance(took, int) else 0
                return _outcome(message)  # type: ignore[arg-type] # checked there
            self.requests += 1
            if self.requests > MOST_REQUESTS:
                raise BudgetExceeded(f"the call made more than {MOST_REQUESTS:,} requests")
            self._send(self._answer(message))
            budget.check()

    def _answer(self, request: Any) -> bytes:
        try:
            return _checked_frame([0, self._operations.run(request)])
        except BadRequest as error:
            raise KernelCrashed(f"the worker sent a bad request: {error}") from None
        except Refusal as refusal:
            return _checked_frame([1, refusal.kind, refusal.message])
        except BadFrame as error:
            return _checked_frame([1, "ValueError", f"{error}; give a limit"])

    def _send(self, data: bytes) -> None:
        while data:
            try:
                data = data[self._socket.send(data) :]
            except BlockingIOError:
                self._check_time()
            except OSError:
                raise _Gone from None

    def _receive(self) -> Any:
        size = int.from_bytes(self._read(HEAD), "big")
        self._received += size
        if size > MOST_FROM_WORKER or self._received > MOST_SENT:
            raise KernelCrashed(f"the worker sent more than {MOST_FROM_WORKER:,} bytes at once or {MOST_SENT:,} in all")
        try:
            return decode(self._read(size))
        except BadFrame as error:
            raise KernelCrashed(f"the worker sent {error}") from None

    def _read(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            try:
                part = self._socket.recv(min(size - len(parts), 2**20))
            except BlockingIOError:
                self._check_time()
                continue
            except OSError:
                raise _Gone from None
            if not part:
                raise _Gone
            parts += part
            if len(parts) < size:
                self._check_time()
        return bytes(parts)

    def _check_time(self) -> None:
        if time.monotonic() > self._until:
            raise _Silent


def _checked_frame(value: Any) -> bytes:
    return frame(value, MOST_TO_WORKER)


def _outcome(outcome: Outcome) -> Reply:
    """Check the outcome that a worker reports, and return the reply.

    Raises:
        AppError, BudgetExceeded, KernelCrashed
    """
    match outcome:
        case {"reply": reply, **more} if not more:
            return reply
        case {"pair": [text, dict() | None as structured], **more} if not more:
            return (text, structured)
        case {"refused": [str(kind), str(message)], **more} if kind in _KINDS and not more:
            raise AppError(kind, message)  # type: ignore[arg-type]
        case {"returned": [str(kind), str(message)], **more} if kind in _KINDS and not more:
            return AppError(kind, message)  # type: ignore[arg-type]
        case {"exceeded": str()}:
            raise BudgetExceeded("the call used more memory than a call may")
        case {"raised": str(text)}:
            raise KernelCrashed(text[:MOST_REPORTED])
    raise KernelCrashed("the worker ended with a message that is not an outcome")


def _is_foreign(status: int | None) -> bool:
    """Return whether another program has ended a worker, or the whole process with it; limits and kernels do not use SIGKILL."""
    return status is None or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL)


def _ending(status: int | None) -> BaseException:
    """Return the exception for a worker's death."""
    if status is None:
        return KernelCrashed("the confined process has ended")
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number in (signal.SIGPROF, signal.SIGXCPU):
            return BudgetExceeded("the call used more CPU time than a call may")
        return KernelCrashed(f"the worker was killed by {signal.Signals(number).name}")
    return KernelCrashed("the worker ended without an outcome")


def _frame_of(control: socket.socket) -> Any:
    """Read a frame that the process itself sends.

    Raises:
        EOFError: it has ended.
        BadFrame, OSError
    """
    parts = bytearray()
    wanted = HEAD
    while len(parts) < wanted:
        part = control.recv(wanted - len(parts))
        if not part:
            raise EOFError
        parts += part
        if len(parts) == HEAD:
            wanted = HEAD + min(int.from_bytes(parts, "big"), MOST_FROM_WORKER)
    return decode(bytes(parts[HEAD:]))


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


_shared: tuple[int, ConfinedProcess] | None = None
_making = threading.Lock()


def shared() -> ConfinedProcess:
    """The confined process in which this process runs the kernels of served apps."""
    global _shared
    with _making:
        if _shared is None or _shared[0] != os.getpid():  # a fork of the gateway needs its own
            made = ConfinedProcess()
            atexit.register(made.close)
            _shared = (os.getpid(), made)
        return _shared[1]


def problem() -> str | None:
    """Why apps that are not trusted are not served here; None where they are."""
    if not hasattr(os, "fork"):
        return "this system cannot fork, so kernels that are not trusted cannot run in a confined process"
    try:
        missing = missing_layers(shared().layers)
    except Unconfined as error:
        return str(error)
    if not missing or is_allowed():
        return None
    return (
        f"this system does not confine generated code (missing: {', '.join(missing)}), so its kernels would run with the "
        f"gateway's own rights; to take that risk start with --allow-unconfined-kernels or {app_roots.ALLOW_UNCONFINED}=1"
    )


def missing_layers(layers: tuple[str, ...]) -> list[str]:
    """Return the required layers that a process did not get."""
    return [f"{name}: {what}" for name, what in LAYERS.items() if name in REQUIRED and name not in layers]


def is_allowed() -> bool:
    """Whether the operator accepts kernels without confinement."""
    return os.environ.get(app_roots.ALLOW_UNCONFINED, "") not in ("", "0", "false")


app_roots.forgets(sources_of.cache_clear)
