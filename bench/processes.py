"""Servers in separate processes: starting, measuring their CPU time, and stopping."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.wire import HOST

ROOT = Path(__file__).resolve().parent.parent
SOUNDSTAGE = [sys.executable, "-c", "from soundstage.cli.main import main; main()"]
_START_S = 120.0
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class StartFailed(Exception):
    """A server did not start; the message ends with its output."""


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    process: subprocess.Popen[bytes]
    port: int

    def cpu_s(self) -> float:
        """Seconds of CPU that the process and those below it have spent, all threads."""
        return sum(_cpu_s(pid) for pid in _tree(self.process.pid))

    def memory_mb(self) -> float:
        """Megabytes of memory that the process has (resident)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) / 1024

    def files(self) -> int:
        """How many files and connections the process has open."""
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))


@contextlib.contextmanager
def gateway(folder: Path, *options: str, root: Path = ROOT, started_by: Sequence[str] = SOUNDSTAGE) -> Iterator[Server]:
    """`soundstage serve` with its data in `folder`, from this checkout or a copy of it."""
    folder.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    command = [*started_by, "serve", "--port", str(port), "--data", str(folder), *options]
    with _running(command, port, root, folder / "log") as server:
        yield server


@contextlib.contextmanager
def bare_server(folder: Path, *, tools: int = 2) -> Iterator[Server]:
    """Start the yardstick over HTTP: the SDK's low-level server with `tools` tools."""
    folder.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    command = [sys.executable, "-m", "bench.bare_server", "http", str(tools), str(port)]
    with _running(command, port, ROOT, folder / "bare.log") as server:
        yield server


@contextlib.contextmanager
def floor_server(folder: Path, reply: bytes) -> Iterator[Server]:
    """Start the server that measures the cost of HTTP for this reply to the request with id 1; see `bench.floor_server`."""
    folder.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    (folder / "reply").write_bytes(reply)
    command = [sys.executable, "-m", "bench.floor_server", str(port), str(folder / "reply")]
    with _running(command, port, ROOT, folder / "floor.log") as server:
        yield server


@contextlib.contextmanager
def _running(command: list[str], port: int, cwd: Path, log: Path) -> Iterator[Server]:
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        _wait_until_up(process, port, log)
        yield Server(process, port)
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_up(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection(HOST, port, timeout=_START_S)
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            return
        time.sleep(0.05)
    output = log.read_text(errors="replace")[-2000:]
    raise StartFailed(f"{' '.join(process.args)}\ndid not come up and said:\n{output}")  # type: ignore[arg-type]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


def _tree(pid: int) -> list[int]:
    """A process and all below it."""
    below: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            below.setdefault(int(fields[1]), []).append(int(entry.name))
    pids, waiting = [], [pid]
    while waiting:
        pids.append(waiting.pop())
        waiting += below.get(pids[-1], [])
    return pids


def _cpu_s(pid: int) -> float:
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S if fields else 0.0


def _stat(pid: int) -> list[str]:
    """The fields of /proc/<pid>/stat after the process's name, from its state on; none when it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
