"""The process in which candidates run: `python -I -S`, an empty environment, and for each job a fork that can reach nothing.

It reads jobs from stdin, a line of JSON each, and writes what came of each to stdout, a line each. What a candidate says goes
through a pipe of its own, whole or not at all, so that it cannot speak for this process. Nothing here judges: the parent does.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import logging
import os
import pkgutil
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import apsw
import structlog

from soundstage import roots
from soundstage.contexts.apps import tables_for
from soundstage.contexts.engine import journal, state
from soundstage.contexts.engine.clock import Clock, parse_moment, to_ms
from soundstage.contexts.engine.store import Context, create_tables, tune
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.session import Session
from soundstage.servers import faults, wording
from soundstage.servers.catalogue import App, load_app
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments
from soundstage.synthesis.generate.allowed import LANGUAGE, OURS
from soundstage.synthesis.generate.families import families
from soundstage.synthesis.traverse.places import put_at
from soundstage.synthesis.traverse.replies import told
from soundstage.synthesis.traverse.values import at_reference

MEMORY = 512 * 2**20
"""How many bytes a job may take beyond what the process has."""
MOST_SAID = 64 * 2**20
_NOBODY = 65534
_PIPE = 3
_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
_FRAMES = 3
_DENIED = (
    "open", "os.", "socket.", "subprocess.", "ctypes.", "shutil.", "tempfile.", "glob.", "pty.", "fcntl.", "mmap.", "resource.",
    "sqlite3.", "gc.", "sys.settrace", "sys.setprofile", "sys.addaudithook", "sys._current_frames", "signal.", "syslog.",
    "webbrowser.", "urllib.", "http.", "ftplib.", "smtplib.", "telnetlib.", "code.__new__", "marshal.", "pickle.", "winreg.",
    "builtins.input", "cpython.", "faulthandler.",
)  # fmt: skip


def main() -> None:
    """Answer jobs until stdin ends."""
    _warm_up()
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(_outcome(line)), flush=True)


def _warm_up() -> None:
    """Import, once, all that jobs may need: later nothing can be opened. What fails is told to the parent, and logged nowhere."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    for module in (*LANGUAGE, *OURS, *(f"{wording.__name__}.{m.name}" for m in pkgutil.iter_modules(wording.__path__))):
        importlib.import_module(module)
    for encoding in ("utf-8", "ascii", "latin-1", "idna", "punycode"):
        "a".encode(encoding)
    tool = Tool(
        "any", "any", "", {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}, "read"
    )
    for family in families():  # what words a refusal is loaded with the first one
        with contextlib.suppress(InvalidArguments):
            family.check(tool, {"a": 1})
    app = load_app("monitor")
    with contextlib.suppress(Exception):
        _run(app, {"state": {}, "calls": [{"tool": next(iter(app.tools)), "arguments": {}}]}, [])
    faults.fault_words("monitor")
    json.dumps(traceback.format_exc())


def _outcome(line: str) -> dict[str, Any]:
    """What came of a job: `lines` that were said, and `ended`: done, killed or silent."""
    job = json.loads(line)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _work(job, writing)
    os.close(writing)
    said = b""
    until = time.monotonic() + float(job["seconds"])
    ended = "killed"
    while (left := until - time.monotonic()) > 0 and len(said) <= MOST_SAID:
        if select.select([reading], [], [], left)[0]:
            piece = os.read(reading, 1 << 16)
            if not piece:
                ended = "done"
                break
            said += piece
    os.close(reading)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) != signal.SIGKILL:
        ended = f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
    most = len(job["runs"]) + 1  # the layers' line, and one for each run: more is no honest answer
    lines = said[: said.rfind(b"\n") + 1].split(b"\n", most)[:most]
    return {"lines": [line.decode("utf-8", "replace") for line in lines if line], "ended": ended}


def _work(job: Mapping[str, Any], writing: int) -> NoReturn:
    """The forked process: give everything up, then run the job."""
    try:
        layers = _give_up(writing, float(job["seconds"]))
        _say({"layers": layers})
        files = {path: content.encode() for path, content in job["files"].items()}
        roots.use(roots.Files(job["app"], files))
        try:
            app = load_app(job["app"])
            raised: list[str] = []
            for tool in app.tools.values():
                tool.__dict__["kernel"] = _noting(tool.kernel, raised)
        except BaseException as error:
            _say({"problem": _told(error)})
            os._exit(0)
        for run in job["runs"]:
            _say(_run(app, run, raised))
    except BaseException as error:
        with contextlib.suppress(BaseException):
            _say({"problem": _told(error)})
    os._exit(0)


def _say(line: Mapping[str, Any]) -> None:
    data = json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    while data:
        data = data[os.write(_PIPE, data) :]


def _give_up(writing: int, seconds: float) -> list[str]:
    """Leave this machine, a layer at a time; which could be had is said."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    if writing != _PIPE:
        os.dup2(writing, _PIPE)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.closerange(_PIPE + 1, 4096)
    layers = _leave_system()
    limits = {
        resource.RLIMIT_CPU: int(seconds) + 1,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: _PIPE + 1,  # all of them are taken
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_CORE: 0,
    }
    limits[resource.RLIMIT_AS] = _size() + MEMORY
    for limit, most in limits.items():
        resource.setrlimit(limit, (most, most))
    layers.append("limits")
    sys.addaudithook(_audit)
    return [*layers, "audit"]


def _leave_system() -> list[str]:
    """No network, no files, nobody's rights: as far as the system lets this process."""
    found: list[str] = []
    libc = ctypes.CDLL(None, use_errno=True)
    root = os.geteuid() == 0
    if libc.unshare(_CLONE_NEWNET | _CLONE_NEWNS | (0 if root else _CLONE_NEWUSER)) == 0:
        found.append("namespaces")
    with contextlib.suppress(OSError):
        os.chroot("/proc/self/fdinfo" if not os.path.isdir("/var/empty") else "/var/empty")
        os.chdir("/")
        found.append("chroot")
    if root:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
        found.append("nobody")
    return found


def _size() -> int:
    # Read before the limits are set; nothing can be opened after.
    return _START_SIZE


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "import":
        if not str(arguments[0]).startswith(
            ("soundstage.kernels.", "soundstage.servers.", "soundstage.contexts.apps.")
        ):
            raise ImportError(f"{arguments[0]} cannot be imported here")
    elif event.startswith(_DENIED):
        raise PermissionError(f"{event} is not to be had here")


def _run(app: App, run: Mapping[str, Any], raised: list[str]) -> dict[str, Any]:
    """One run: a state, calls one after another, the state then. `raised` is where kernels note what they raise."""
    at = to_ms(parse_moment(run.get("clock") or "2026-11-20T09:00:00Z"))
    clock = Clock("frozen", at)
    connection = apsw.Connection(":memory:")
    try:
        tables = tables_for([app.name])
        create_tables(connection, tables, world="empty", seed=int(run.get("seed", 0)), clock=clock)
        context = Context(tune(connection), tables)
        with context.transaction() as meta:
            meta.seed, meta.clock = int(run.get("seed", 0)), clock
        if given := run.get("state"):
            with context.transaction():
                state.load(context, {app.name: given})
        record = SessionRecord("r", "r", None, "empty", (app.name,), 0, clock, 0, None, durability="memory")
        session = Session(record, context)
        heard: list[Any] = []
        calls: list[dict[str, Any]] = []
        for call in run["calls"]:
            raised.clear()
            calls.append(_made(session, app, call, heard))
            calls[-1]["raised"] = raised[-1] if raised else None
            heard.append(told(calls[-1]["reply"]))
        return {"calls": calls, "state": state.dump(context, app.name).get(app.name, {})}
    except Exception as error:
        return {"problem": _told(error)}
    finally:
        connection.close()


def _made(session: Session, app: App, call: Mapping[str, Any], heard: Sequence[Any]) -> dict[str, Any]:
    arguments = call["arguments"]
    for place, (number, path) in call.get("refs", {}).items():
        with contextlib.suppress(LookupError, TypeError):
            arguments = put_at(arguments, place, at_reference(heard[number], path))
    began = time.perf_counter_ns()
    made = dispatch(session, app, call["tool"], arguments)
    took = (time.perf_counter_ns() - began) // 1000
    assert made.step is not None
    (row,) = journal.read(session.context, after=made.step - 1, limit=1)
    changes = journal.changes(session.context, row.receipt.changeset)
    answer = made.delivery.answer
    return {
        "reply": made.delivery.reply,
        "ok": made.delivery.ok,
        "is_error": answer.is_error,
        "error_kind": answer.error_kind,
        "changed": len(list(changes)),
        "us": took,
    }


def _noting(kernel: Any, raised: list[str]) -> Any:
    def run(context: Any, arguments: Any) -> Any:
        try:
            return kernel(context, arguments)
        except Exception as error:
            raised.append(_told(error))
            raise

    return run


def _told(error: BaseException) -> str:
    """An exception, with the last frames of the candidate's own files."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [
        f"{f.filename}:{f.lineno} in {f.name}"
        for f in frames
        if f.filename.startswith(("kernels/", "servers/", "contexts/"))
    ]
    return " < ".join([f"{type(error).__name__}: {error}"[:500], *reversed(own[-_FRAMES:])])


def _measured() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGESIZE")


_START_SIZE = _measured() if os.path.exists("/proc/self/statm") else 2**30
