"""The startup time of `soundstage`: `stdio` until the reply to the first `tools/list`, and `--help` until it exits."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import orjson

from bench.control import FOUR_APPS
from bench.figures import Bound, Line, Plan, Series, Unit, compare
from bench.load import HANDSHAKE, WrongReply
from bench.processes import ROOT, SOUNDSTAGE, StartFailed

_UNIT: Unit = "ms"
_WARM_BOUND, _FIRST, _HELP = Bound(times=1.1), Bound(times=2.2), Bound(times=1.2)


@dataclass(frozen=True, slots=True)
class Start:
    """Milliseconds to the list, CPU milliseconds until the end, and how many tools there were."""

    took: float
    cpu: float
    tools: int


async def measure_help(plan: Plan) -> list[Line]:
    """Measure `soundstage --help`."""
    libraries = [sys.executable, "-c", "import typer, rich.console"]
    rounds = [(_ended(libraries), _ended([*SOUNDSTAGE, "--help"])) for _ in range(2 * plan.rounds + 1)][1:]
    yardstick = Series("importing typer and rich", [theirs for theirs, _ in rounds])
    ours = Series("soundstage --help into a pipe", [ours for _, ours in rounds])
    return [compare("help", ours, yardstick, unit=_UNIT, bound=_HELP)]


async def measure(plan: Plan) -> list[Line]:
    """Measure `soundstage stdio` up to its first tool list."""
    four = ("--apps", ",".join(FOUR_APPS))
    return [*_compared(plan, "four apps", four, _WARM_BOUND), *_compared(plan, "all apps", (), Bound())]


def _compared(plan: Plan, of: str, options: Sequence[str], warm: Bound) -> list[Line]:
    log, data = plan.folder / "log", plan.folder / of.replace(" ", "-")
    tools = _started(_soundstage(data / "kept", options), log).tools  # makes the session and compiles modules
    bare = [sys.executable, "-m", "bench.bare_server", "stdio", str(tools)]
    _started(bare, log)
    rounds = [
        (
            _started(bare, log),
            _started(_soundstage(data / "kept", options), log),
            _started(_soundstage(data / f"fresh-{number}", options), log),
        )
        for number in range(2 * plan.rounds)
    ]
    yardstick = Series(f"bare server, {tools} tools", [bare.took for bare, _, _ in rounds])
    return [
        _line(f"soundstage stdio, {of}, existing session", [again for _, again, _ in rounds], yardstick, warm),
        _line(f"soundstage stdio, {of}, first start ever", [first for _, _, first in rounds], yardstick, _FIRST),
    ]


def _line(what: str, starts: list[Start], yardstick: Series, bound: Bound) -> Line:
    cpu = sorted(start.cpu for start in starts)[len(starts) // 2]
    ours = Series(what, [start.took for start in starts])
    return compare("stdio", ours, yardstick, unit=_UNIT, bound=bound, note=f"{cpu:.0f} ms of CPU, start to end")


def _soundstage(data: Path, options: Sequence[str]) -> list[str]:
    return [*SOUNDSTAGE, "stdio", "--session", "bench", "--data", str(data), *options]


def _ended(command: list[str]) -> float:
    """Milliseconds that a command takes from its start to its end."""
    began = time.perf_counter()
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - began) * 1e3


def _started(command: list[str], log: Path) -> Start:
    """Start a server, initialize, list its tools, and stop it.

    Raises:
        StartFailed: contains the server's output.
        WrongReply: shows the reply that was not a result.
    """
    began = time.perf_counter()
    with log.open("wb") as stderr:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
    assert process.stdin is not None
    assert process.stdout is not None
    client = {"name": "soundstage-bench", "version": "1"}
    hello = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": client}
    try:
        _ask(process.stdin, process.stdout, {"id": 0, "method": "initialize", "params": hello})
        _send(process.stdin, {"method": "notifications/initialized"})
        listed = _ask(process.stdin, process.stdout, {"id": 1, "method": "tools/list"})
    except (BrokenPipeError, EOFError):
        process.kill()
        process.wait()
        raise StartFailed(f"{' '.join(command)}\nended and said:\n{log.read_text(errors='replace')[-2000:]}") from None
    took = time.perf_counter() - began
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    return Start(took * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3, len(listed["tools"]))


def _ask(stdin: IO[bytes], stdout: IO[bytes], message: dict[str, Any]) -> Any:
    _send(stdin, message)
    for line in stdout:
        answer = orjson.loads(line)
        if answer.get("id") == message["id"]:
            if "result" not in answer:
                raise WrongReply(f"{message['method']} was answered {line[:500]!r}")
            return answer["result"]
    raise EOFError


def _send(stdin: IO[bytes], message: dict[str, Any]) -> None:
    stdin.write(orjson.dumps({"jsonrpc": "2.0", **message}) + b"\n")
    stdin.flush()
