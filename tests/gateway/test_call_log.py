"""Calls are logged and counted shortly after their answers, and none is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import orjson
import pytest

CALLS_AND_AN_END = """
import asyncio
import sys
from pathlib import Path

from soundstage.gateway.calls.call import CallResult
from soundstage.gateway.calls.call_log import log_call
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.log import configure
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.reply import Result

async def main():
    configure(level="info", worker=3)
    sessions = Sessions(Settings(data=Path(sys.argv[1])))
    await sessions.start()
    session = await sessions.create(NewSession(world="empty", durability="memory"))
    for step in range(5):
        log_call(session, CallResult("lark", "send", step, Delivery(Result([], ok=True)), 70 + step), known=True)
    await sessions.stop()

asyncio.run(main())
"""


@pytest.mark.long
def test_pending_log_lines_are_written_when_the_process_ends(tmp_path: Path) -> None:
    program = [sys.executable, "-c", CALLS_AND_AN_END, str(tmp_path)]
    ended = subprocess.run(program, capture_output=True, check=True)
    lines = [orjson.loads(line) for line in ended.stderr.splitlines()]
    calls = [line for line in lines if line["event"] == "call"]
    assert [(line["call"].rpartition(":")[2], line["duration_us"]) for line in calls] == [
        (str(step), 70 + step) for step in range(5)
    ]
    assert {(line["app"], line["tool"], line["ok"], line["worker"], line["level"]) for line in calls} == {
        ("lark", "send", True, 3, "info")
    }
    assert [line["timestamp"] for line in calls] == sorted(line["timestamp"] for line in calls)
