"""A process whose event loop is blocked ends with the stack on standard error; one whose loop only waits continues."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no interval timers")

PROGRAM = """
import asyncio, re, threading
from soundstage.gateway.serving.watchdog import Watchdog

async def main():
    watchdog = Watchdog(0.3)
    watchdog.start()
    {body}
    watchdog.stop()
    print("went on", flush=True)

def blocked_in_c():
    sum(iter(lambda: 1, 0)) if False else max(iter(int, 1))

asyncio.run(main())
"""


def run(body: str) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.replace("{body}", body)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("body", ["blocked_in_c()", "while True: pass"])
def test_a_blocked_loop_ends_the_process(body: str) -> None:
    ended = run(body)
    assert ended.returncode == -signal.SIGVTALRM
    assert "most recent call first" in ended.stderr
    assert "went on" not in ended.stdout


def test_a_waiting_loop_continues() -> None:
    ended = run("await asyncio.sleep(0.5)")
    assert (ended.returncode, ended.stdout) == (0, "went on\n")
