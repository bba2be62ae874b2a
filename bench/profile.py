"""Profile a call: `python -m bench.profile [FILE]` calls a gateway under load, samples its stacks and writes the profile.

The call is a message sent over HTTP through the address of all apps, in memory. `bench.picture` draws the profile.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import orjson

from bench.control import Control
from bench.load import Target, load
from bench.processes import ROOT, Server, gateway
from bench.rows.many_sessions import message

FILE = ROOT / "bench" / "profiles" / "call.json"
_SECONDS = 20.0
_PATIENCE_S = 10.0
_LEAST = 0.006  # fraction of the total; smaller nodes are merged into their parents
_OUTSIDE = (
    "uvicorn",
    "starlette",
    "asyncio",
    "json",
    "structlog",
    "prometheus_client",
    "httptools",
    "mcp",
    "pydantic_core",
)
_ROUND_A_CALL = "uvicorn.server"  # the module that encloses every request


class Node(TypedDict):
    """A package or module, the µs per call spent in it including its callees, and its callees."""

    name: str
    us: float
    calls: list[Node]


class Profile(TypedDict):
    """`looked` is how often it was looked, `us` what a call took of CPU."""

    what: str
    looked: int
    us: float
    rooms: list[Node]


async def profile(seconds: float) -> Profile:
    """Call a gateway for some seconds."""
    with tempfile.TemporaryDirectory(prefix="soundstage-profile-") as folder:
        seen = Path(folder) / "seen"
        program = f"from pathlib import Path; from bench.sampling import start; start(Path({str(seen)!r})); "
        program += "from soundstage.cli.main import main; main()"
        with gateway(Path(folder) / "gateway", started_by=[sys.executable, "-c", program]) as server:
            control = Control(server)
            target = Target("a message", server, (control.session("memory").path(),), message(control))
            await load(target, seconds=1)
            server.process.send_signal(signal.SIGUSR1)
            loaded = await load(target, seconds=seconds)
            server.process.send_signal(signal.SIGUSR2)
            stacks = _written(seen, server)
    return made(stacks, us=loaded.cpu_us)


def made(stacks: Sequence[tuple[Sequence[str], int]], *, us: float) -> Profile:
    """A profile of stacks of modules, each with how often it was seen."""
    rooms: Counter[tuple[str, ...]] = Counter()
    for modules, times in stacks:
        rooms[_rooms(modules)] += times
    looked = sum(rooms.values())
    return Profile(
        what="a message sent over HTTP, all apps, in memory", looked=looked, us=round(us, 1),
        rooms=_nodes(rooms, us / looked, us * _LEAST),
    )  # fmt: skip


def _written(file: Path, server: Server) -> list[tuple[list[str], int]]:
    end = time.monotonic() + _PATIENCE_S
    while not file.exists():
        if time.monotonic() > end:
            raise TimeoutError(f"the gateway has not written {file}")
        Control(server).metric("soundstage_contexts_open")  # a signal is looked at between two steps of the program
        time.sleep(0.1)
    stacks: list[tuple[list[str], int]] = orjson.loads(file.read_bytes())
    return stacks


def _rooms(modules: Sequence[str]) -> tuple[str, ...]:
    """Return the packages that a stack of modules passes through, without those that enclose every call."""
    inside = len(modules) - list(reversed(modules)).index(_ROUND_A_CALL) if _ROUND_A_CALL in modules else 0
    rooms: list[str] = []
    for module in modules[inside:]:
        room = _room(module)
        if room is not None and rooms[-1:] != [room]:
            rooms.append(room)
    return tuple(rooms) or ("uvloop",)


def _room(module: str) -> str | None:
    """Return a module's name in the profile: our folder or file, another package's name, or None to merge it into its caller."""
    parts = module.split(".")
    if parts[0] != "soundstage":
        return parts[0] if parts[0] in _OUTSIDE and parts[:2] != ["asyncio", "runners"] else None
    return "/".join(parts[1:3] if parts[1] in ("kernels", "servers") else parts[1:])


def _nodes(rooms: Counter[tuple[str, ...]], us: float, least: float) -> list[Node]:
    """Return the top-level nodes of the samples, largest first. `us` is the time that one sample represents."""
    within: dict[str, Counter[tuple[str, ...]]] = {}
    for path, times in rooms.items():
        if path:
            within.setdefault(path[0], Counter())[path[1:]] += times
    nodes = [
        Node(name=name, us=round(us * sum(below.values()), 1), calls=_nodes(below, us, least))
        for name, below in within.items()
        if us * sum(below.values()) >= least
    ]
    return sorted(nodes, key=lambda node: (-node["us"], node["name"]))


def main() -> None:
    """Make a profile and write it."""
    parser = argparse.ArgumentParser(prog="python -m bench.profile", description="See where a call's time goes.")
    parser.add_argument("file", nargs="?", type=Path, default=FILE, help="the output file (default %(default)s)")
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="how long to look (default %(default)s)")
    given = parser.parse_args()
    result = asyncio.run(profile(given.seconds))
    given.file.write_bytes(orjson.dumps(result, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


if __name__ == "__main__":
    main()
