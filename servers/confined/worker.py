"""The confined process: it holds the code of apps, and forks a worker for each call.

Started by `host` as `python -I -S` with an empty environment, an empty folder and one socket. It imports all that kernels may
import, gives up the machine (`layers`), and then obeys the gateway. Code of an app is compiled here and runs in workers only, so
nothing that a kernel does can reach the next worker.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import resource
import signal
import socket
import sys
import time
import traceback
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from soundstage.kernels.errors import AppError
from soundstage.servers.confined import facade
from soundstage.servers.confined.language import LANGUAGE
from soundstage.servers.confined.layers import Limits, address_space, confine_process, confine_worker
from soundstage.servers.confined.protocol import (
    HEAD,
    MEMORY,
    MOST_FROM_WORKER,
    MOST_REPORTED,
    MOST_TO_WORKER,
    BadFrame,
    frame,
    read_frame,
    write_frame,
)
from soundstage.servers.confined.seccomp import Filter, make_filter

_COMPILE_S = 10
_FRAMES = 3
_WARM = ("_strptime", "calendar", "copy", "locale", "stringprep", "linecache", "reprlib", "encodings.idna")
_REHEARSALS = 2
_REHEARSAL = "soundstage.kernels.rehearsal_"
_REHEARSED = compile(
    "from __future__ import annotations\n"
    "from soundstage.contexts.engine.app_context import AppContext\n"
    "from soundstage.kernels.errors import AppError\n"
    "from soundstage.kernels.types import Arguments, Reply\n"
    "def run(context: AppContext, arguments: Arguments) -> Reply:\n"
    "    found = context.list('goods', {'name': arguments['a']}, order='name')\n"
    "    if not found:\n        raise AppError('not_found', f\"{arguments['a']} is missing\")\n"
    "    return {**found[0], 'now': context.now().isoformat()}\n",
    "kernels/rehearsal_/up.py",
    "exec",
    dont_inherit=True,
)
Code = Mapping[str, types.CodeType]
"""Module → its code, of one app."""


def main() -> None:
    """Confine this process and obey the gateway until it closes the socket."""
    control = socket.socket(fileno=int(sys.argv[-1]))
    empty = sys.argv[-2]
    _warm_up()
    size, calls = address_space(), make_filter()
    nothing = os.open(os.devnull, os.O_RDWR)
    layers = [*confine_process(empty), "limits"]
    if calls is not None and _works(calls):
        layers.append("system calls")
    else:
        calls = None
    control.sendall(frame({"layers": [*layers, "audit"]}, MOST_FROM_WORKER))
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.close(nothing)
    gc.collect()
    gc.freeze()  # so that forks share what is there
    _Process(control, size, calls).obey()


class _Process:
    """The commands of the gateway, and the state behind them."""

    def __init__(self, control: socket.socket, size: int, calls: Filter | None) -> None:
        self._control = control
        self._size = size
        self._calls = calls
        self._workers: dict[int, int] = {}
        self._code: dict[int, Code] = {}

    def obey(self) -> None:
        """Serve commands until the gateway is gone."""
        while True:
            try:
                command, descriptors = self._command()
            except EOFError:
                return
            for number in command.get("done", ()):
                self._end(number)
            if "fork" in command:
                self._fork(command["fork"], descriptors, command["cpu_s"])
            elif "load" in command:
                self._answer({"loaded": self._load(command["load"], command["app"], command["files"])})
            elif "drop" in command:
                self._code.pop(command["drop"], None)
            elif "end" in command:
                self._answer({"status": self._end(command["end"])})

    def _command(self) -> tuple[dict[str, Any], list[int]]:
        head, descriptors, _, _ = socket.recv_fds(self._control, HEAD, 64)
        while 0 < len(head) < HEAD:
            head += self._control.recv(HEAD - len(head))
        if not head:
            raise EOFError
        body = bytearray()
        size = int.from_bytes(head, "big")
        while len(body) < size:
            part = self._control.recv(size - len(body))
            if not part:
                raise EOFError
            body += part
        command: dict[str, Any] = json.loads(bytes(body))
        return command, descriptors

    def _answer(self, value: Mapping[str, Any]) -> None:
        self._control.sendall(frame(value, MOST_FROM_WORKER))

    def _fork(self, numbers: Sequence[int], descriptors: Sequence[int], cpu_s: float) -> None:
        waiting = list(descriptors)
        for number in numbers:
            descriptor = waiting.pop(0)
            child = os.fork()
            if child == 0:
                self._control.close()
                for other in waiting:
                    os.close(other)
                limits = Limits(self._size + MEMORY, cpu_s)
                _work(descriptor, self._code, limits, self._calls)
            os.close(descriptor)
            self._workers[number] = child

    def _end(self, number: int) -> int:
        """End a worker if it still runs, and return its wait status."""
        child = self._workers.pop(number, None)
        if child is None:
            return 0
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        os.kill(child, signal.SIGKILL)
        return os.waitpid(child, 0)[1]

    def _load(self, code: int, app: str, files: Mapping[str, str]) -> dict[str, str]:
        """Compile an app's files; return the errors of files that are not Python, by path."""
        errors: dict[str, str] = {}
        compiled: dict[str, types.CodeType] = {}
        for path, source in files.items():
            if (problem := _compile_apart(source, path)) is not None:
                errors[path] = problem
                continue
            compiled[_module_of(path)] = compile(source, path, "exec", dont_inherit=True)
        self._code[code] = compiled
        gc.collect()
        gc.freeze()
        return errors


def _compile_apart(source: str, path: str) -> str | None:
    """Compile a file in a fork, where it may crash or take long; return its error, or None."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (_COMPILE_S, _COMPILE_S))
        try:
            compile(source, path, "exec", dont_inherit=True)
            os.write(writing, b"+")
        except BaseException as error:
            where = f" (line {error.lineno})" if isinstance(error, SyntaxError) else ""
            text = f"{type(error).__name__}: {error}"[:MOST_REPORTED] + where
            os.write(writing, b"-" + text.encode("utf-8", "replace"))
        os._exit(0)
    os.close(writing)
    report = b""
    while part := os.read(reading, 65536):
        report += part
    os.close(reading)
    os.waitpid(child, 0)
    if report.startswith(b"+"):
        return None
    return report[1:].decode("utf-8", "replace") or "the compiler crashed or took too long"


def _module_of(path: str) -> str:
    return "soundstage." + path.removesuffix(".py").replace("/", ".")


def _work(pipe: int, code: Mapping[int, Code], limits: Limits, calls: Filter | None) -> NoReturn:
    """The worker: give up what is left, wait for the call, run the kernel, report the outcome."""
    try:
        for _ in range(_REHEARSALS):
            _rehearse()
        gc.disable()  # a call is short, and collecting would copy the memory that forks share
        confine_worker(limits, calls)
        call = read_frame(pipe, MOST_TO_WORKER)
        sys.meta_path[:] = [_Finder(code.get(call["code"], {}), call["app"])]
        write_frame(pipe, _outcome(call, _asking(pipe)))
        os.read(pipe, 1)  # to end takes longer than to answer: first the gateway has its turn
    except BaseException:
        os._exit(1)
    os._exit(0)


def _rehearse() -> None:
    """Answer a call of our own, so that the memory that a call touches is this fork's own before the client waits for it."""
    reading, writing = os.pipe()
    write_frame(writing, frame([0, [{"name": "a"}]], MOST_FROM_WORKER))
    write_frame(writing, frame({"code": 0, "now_ms": 1.5, "arguments": {"a": [None, True, "b"]}}, MOST_FROM_WORKER))
    sys.meta_path[:] = [_Finder({f"{_REHEARSAL}.up": _REHEARSED}, _REHEARSAL.rpartition(".")[2])]
    call = {"app": _REHEARSAL.rpartition(".")[2], "module": "up", "now_ms": 0, "arguments": {"a": 1}}

    def ask(*request: Any) -> Any:
        frame(request, MOST_FROM_WORKER)
        return read_frame(reading, MOST_TO_WORKER)[1]

    _outcome(call, ask)
    read_frame(reading, MOST_TO_WORKER)
    for descriptor in (reading, writing):
        os.close(descriptor)
    for name in [name for name in sys.modules if name.startswith(_REHEARSAL)]:
        del sys.modules[name]


def _asking(pipe: int) -> Callable[..., Any]:
    def ask(*request: Any) -> Any:
        write_frame(pipe, frame(request, MOST_FROM_WORKER))
        answer = read_frame(pipe, MOST_TO_WORKER)
        if answer[0]:
            raise facade.raised(answer[1], answer[2])
        return answer[1]

    return ask


def _outcome(call: Mapping[str, Any], ask: Callable[..., Any]) -> bytes:
    """Run the kernel, and encode the outcome."""
    began = time.process_time_ns()
    try:
        module = _loaded(f"soundstage.kernels.{call['app']}.{call['module']}")
        run: Callable[[Any, Any], Any] = module.run
        returned = _returned(run(facade.AppContext(ask, call["now_ms"]), call["arguments"]))
        returned["cpu_us"] = (time.process_time_ns() - began) // 1000
        return frame(returned, MOST_FROM_WORKER, _plain)
    except AppError as error:
        return frame({"refused": [str(error.kind), str(error.message)]}, MOST_FROM_WORKER)
    except MemoryError:
        return frame({"exceeded": "memory"}, MOST_FROM_WORKER)
    except BadFrame as error:
        return frame({"raised": f"the kernel's reply is {error}"}, MOST_FROM_WORKER)
    except BaseException as error:
        return frame({"raised": _described(error)}, MOST_FROM_WORKER)


def _loaded(name: str) -> types.ModuleType:
    """A kernel's module; made directly, in half the time that an import statement takes."""
    finder = sys.meta_path[0]
    assert isinstance(finder, _Finder)
    module = sys.modules[name] = types.ModuleType(name)
    finder.exec_module(module)
    return module


def _returned(reply: Any) -> dict[str, Any]:
    if isinstance(reply, AppError):
        return {"returned": [str(reply.kind), str(reply.message)]}
    if isinstance(reply, tuple):
        text, structured = reply
        return {"pair": [text, structured]}
    return {"reply": reply}


def _others(value: Any) -> Any:
    """Convert an object that JSON has no form for as the gateway's own writers do."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    raise TypeError(f"a reply cannot hold an object of type {type(value).__name__}")


_plain = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), default=_others).encode


def _described(error: BaseException) -> str:
    """An exception, with the last frames of the app's own files."""
    own = [
        f"{f.filename}:{f.lineno} in {f.name}"
        for f in traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__), lookup_lines=False)
        if f.filename.startswith("kernels/")
    ]
    return " < ".join([f"{type(error).__name__}: {error}"[:500], *reversed(own[-_FRAMES:])])[:MOST_REPORTED]


class Datetime(datetime.datetime):
    """The `datetime` that a kernel imports: it cannot read the clock."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> NoReturn:
        raise TypeError("a kernel cannot read the clock; use context.now()")

    utcnow = now


Datetime.__name__ = Datetime.__qualname__ = "datetime"


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of one app, and no others."""

    def __init__(self, code: Code, app: str) -> None:
        self._code = code
        self._packages = (f"soundstage.kernels.{app}", f"soundstage.kernels.{app}.rules")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        package = fullname in self._packages
        if not package and fullname not in self._code:
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=fullname, is_package=package)

    def exec_module(self, module: types.ModuleType) -> None:
        if (code := self._code.get(module.__name__)) is not None:
            exec(code, module.__dict__)  # noqa: S102 this is what the process is for


def _works(calls: Filter) -> bool:
    """Try the filter in a fork."""
    child = os.fork()
    if child == 0:
        if not calls.install():
            os._exit(1)
        with contextlib.suppress(OSError):
            os.getppid()
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def _warm_up() -> None:
    """Import, once, all that kernels may need: nothing can be opened later."""
    for module in (*LANGUAGE, *_WARM):
        importlib.import_module(module)
    for encoding in ("utf-8", "ascii", "latin-1", "idna", "punycode"):
        "a".encode(encoding)
    datetime.datetime.strptime("2026-11-20", "%Y-%m-%d")
    facade.TIME = Datetime
    datetime.datetime = Datetime  # type: ignore[misc]
    _stand_in("soundstage.contexts.engine.app_context", AppContext=facade.AppContext)
    _stand_in("soundstage.contexts.engine.schema", ABSENT=facade.ABSENT, Object=facade.Object)
    importlib.import_module("soundstage.kernels.types")
    try:
        exec(compile("1 / 0", "kernels/warm/up.py", "exec"))  # noqa: S102
    except ZeroDivisionError as error:
        _described(error)


def _stand_in(name: str, **members: Any) -> None:
    """Put a module with these members in the place of one that would import the gateway's engine."""
    parts = name.split(".")
    for end in range(2, len(parts) + 1):
        module = sys.modules.setdefault(".".join(parts[:end]), types.ModuleType(".".join(parts[:end])))
        if end < len(parts) and not hasattr(module, "__path__"):
            module.__path__ = []
    sys.modules[name].__dict__.update(members)
