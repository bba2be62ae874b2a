"""A blocked event loop: SIGTERM still ends the gateway, and the supervisor replaces a worker without losing an answered call."""

from __future__ import annotations

import os
import resource
import signal
import sys
from pathlib import Path

import pytest

from tests.conftest import Gateway, start_gateway, stop_gateway, wait_until
from tests.gateway.agent_requests import request_for
from tests.gateway.serving.processes import WORKERS, alive, children
from tests.gateway.serving.wire import Connection

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]
SESSIONS = 6
LIMIT_S = 10
"""Seconds of CPU within which SIGTERM ends a gateway. An idle machine needs the same wall time."""

BLOCK_ON_SIGNAL = """
import signal

def block(number, frame):
    max(iter(int, 1))  # a loop in C, which no budget of a call can end

signal.signal(signal.SIGUSR1, block)
"""


@pytest.fixture(autouse=True)
def blocking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the main thread of every gateway process block when it receives SIGUSR1."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(BLOCK_ON_SIGNAL)
    monkeypatch.setenv("PYTHONPATH", str(folder))


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _block(pid: int) -> None:
    """Block a process and wait until it uses CPU time without pause."""
    os.kill(pid, signal.SIGUSR1)
    start = _cpu_s(pid)
    wait_until(lambda: _cpu_s(pid) > start + 0.5, "the process is blocked")


def _call(gateway: Gateway, handle: str, summary: str) -> None:
    assert Connection(gateway.url).ask("POST", *request_for(handle, summary)).status == 200


def test_sigterm_ends_a_blocked_gateway(data: Path, tmp_path: Path) -> None:
    gateway = start_gateway(data, log=tmp_path / "log")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        before = _cpu_s(gateway.process.pid)
        _block(gateway.process.pid)
        gateway.process.terminate()
        assert gateway.process.wait(120) == -signal.SIGVTALRM
    finally:
        stop_gateway(gateway)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime - before < LIMIT_S
    assert "most recent call first" in (tmp_path / "log").read_text()


def test_sigterm_ends_a_gateway_with_a_blocked_worker(data: Path) -> None:
    gateway = start_gateway(data, "--workers", str(WORKERS))
    try:
        started = children(gateway.process.pid)
        _block(started[0])
        gateway.process.terminate()
        gateway.process.wait(120)
        assert not any(alive(pid) for pid in started)
    finally:
        stop_gateway(gateway)


def test_a_blocked_worker_is_replaced_and_no_answered_call_is_lost(data: Path, tmp_path: Path) -> None:
    gateway = start_gateway(data, "--workers", str(WORKERS), log=tmp_path / "log")
    try:
        made = [gateway.session(durability="durable", world="empty") for _ in range(SESSIONS)]
        for session in made:
            for number in range(3):
                _call(gateway, session["handle"], f"before {number}")
        first = children(gateway.process.pid)
        _block(first[0])
        wait_until(lambda: not alive(first[0]), "the watchdog has ended the worker")
        wait_until(lambda: len(children(gateway.process.pid)) == WORKERS, "another worker has started")
        for session in made:
            _call(gateway, session["handle"], "after")
            summaries = [line["arguments"]["data"]["summary"] for line in gateway.journal(session["id"])]
            assert summaries == ["before 0", "before 1", "before 2", "after"]
        assert first[1] in children(gateway.process.pid)
        assert "most recent call first" in (tmp_path / "log").read_text()
    finally:
        stop_gateway(gateway)
