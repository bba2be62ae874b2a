"""Processes of upstreams: one for each session that uses them, and none survives the gateway."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import uvloop
from mcp.client import Client

from soundstage.gateway.calls.service import CallService
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.upstream.config import parse_declarations
from soundstage.gateway.upstream.stdio import StdioPipe, Watchdog
from soundstage.gateway.upstream.upstreams import Upstreams
from tests.conftest import Gateway, wait_until
from tests.gateway.upstream.conftest import ODD, program

Before = Callable[..., Gateway]
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not Path("/proc").exists(), reason="looks processes up in /proc"),
]
_MARK = "SOUNDSTAGE_TEST_PROCESSES"


def _alive(mark: str) -> list[int]:
    """Return the ids of the processes whose environment has the mark."""
    pids = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"{_MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                pids.append(int(entry.name))
        except OSError:
            continue
    return pids


async def _call(gateway: Gateway, session: dict[str, Any], mode: str = "legacy") -> None:
    async with Client(f"{gateway.url}/s/{session['handle']}/odd/mcp", mode=mode) as client:
        await client.call_tool("same")


async def test_each_session_has_one_process_for_all_its_clients(before: Before, tmp_path: Path) -> None:
    mark = str(tmp_path)
    gateway = before({"odd": program(ODD, "stdio", "fine", env={_MARK: mark})})
    wait_until(lambda: not _alive(mark))  # the process that listed the tools has ended
    one, two = gateway.session(world="empty"), gateway.session(world="empty")
    for _ in range(3):
        await _call(gateway, one)
    assert len(_alive(mark)) == 1
    await _call(gateway, two)
    assert len(_alive(mark)) == 2
    async with Client(one["mcp_url"]) as client:
        await client.call_tool("odd_same")
    assert len(_alive(mark)) == 2
    gateway.api("DELETE", f"/sessions/{one['id']}")
    wait_until(lambda: len(_alive(mark)) == 1)
    gateway.api("DELETE", "/upstreams/odd")
    wait_until(lambda: not _alive(mark))


async def test_an_idle_process_is_closed_and_restarted_on_demand(
    new_session: Callable[..., Session], tmp_path: Path
) -> None:
    mark = str(tmp_path)
    declared = parse_declarations({"mcpServers": {"odd": program(ODD, "stdio", "fine", env={_MARK: mark})}}, {})
    upstreams = Upstreams(idle_s=1.5)
    await upstreams.start(declared)
    try:
        session, calls = new_session(), CallService(ToolFinder(tmp_path))
        for _ in range(2):
            made = await calls.make_call(session, upstreams.toolset_of(session, "odd"), "same", {})
            assert made.answer.ok
            assert _alive(mark)
            await asyncio.to_thread(wait_until, lambda: not _alive(mark))
    finally:
        await upstreams.stop()


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
async def test_no_process_survives_the_gateway_even_if_it_ignores_signals(
    before: Before, tmp_path: Path, end: signal.Signals
) -> None:
    mark = str(tmp_path)
    gateway = before({"odd": program(ODD, "stdio", "stubborn", env={_MARK: mark})})
    await _call(gateway, gateway.session(world="empty"))
    wait_until(
        lambda: len(_alive(mark)) == 2
    )  # the process and its child; the process that listed the tools ends later
    os.kill(gateway.process.pid, end)
    gateway.process.wait(60)
    wait_until(lambda: not _alive(mark))


_RUNS = pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])


@_RUNS
def test_writing_to_an_ended_process_is_a_connection_error(run: Callable[..., None]) -> None:
    async def write() -> None:
        async with _piped("") as (pipe, ended):
            await ended
            with pytest.raises(ConnectionError, match="ended with 0"):
                await _write_on(pipe)

    run(write())


@_RUNS
def test_a_write_after_the_end_raises_with_the_last_output(run: Callable[..., None]) -> None:
    says = "import os, sys, time; os.close(0); time.sleep(0.3); print('no licence found', file=sys.stderr); sys.exit(1)"

    async def write() -> None:
        async with _piped(says) as (pipe, ended):
            with pytest.raises(ConnectionError, match="ended with 1; its last words: no licence found"):
                await _write_on(pipe)
            assert "no licence found" in await ended

    run(write())


@_RUNS
def test_the_last_output_is_read_to_its_end(run: Callable[..., str]) -> None:
    says = "import sys; sys.stderr.write(''.join(f'{n}\\n' for n in range(10_000))); sys.exit(1)"

    assert run(_end(says)).endswith("its last words: 9995 / 9996 / 9997 / 9998 / 9999")


@_RUNS
def test_the_last_output_is_not_waited_for_if_a_child_holds_the_pipe(run: Callable[..., str]) -> None:
    holder = (
        "import subprocess, sys; subprocess.Popen(['sleep', '60'], stdin=-3, stdout=-3); print('gone', file=sys.stderr)"
    )

    assert run(_end(holder)) == "ended with 0; its last words: gone"


async def _end(says: str) -> str:
    """Return the reason reported for the end of an upstream that is a Python program."""
    async with _piped(says) as (_, ended):
        return await asyncio.wait_for(ended, 60)


@asynccontextmanager
async def _piped(says: str) -> AsyncIterator[tuple[StdioPipe, asyncio.Future[str]]]:
    """Run a Python program as an upstream, and yield its pipe and the future reason for its end."""
    declared = parse_declarations({"mcpServers": {"gone": {"command": sys.executable, "args": ["-c", says]}}}, {})
    watchdog, ended = Watchdog(), asyncio.get_running_loop().create_future()
    pipe = StdioPipe(declared[0], watchdog, lambda message: None, ended.set_result)
    await pipe.open()
    try:
        yield pipe, ended
    finally:
        await pipe.close()
        watchdog.stop()


async def _write_on(pipe: StdioPipe) -> None:
    """Write until the event loop has noticed that the other end is closed."""
    for _ in range(100):
        await pipe.send(b"{}")
        await asyncio.sleep(0.05)
