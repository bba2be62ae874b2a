"""SIGKILL during a stream of writes: every answered call is stored, and no call is stored in part."""

from __future__ import annotations

import json
import random
import threading
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.conftest import Gateway, start_gateway, stop_gateway

WRITERS = 4
SESSIONS = 2


def _write(url: str, number: int, answered: list[tuple[int, str, str]], stop: threading.Event) -> None:
    """Create tasks until the gateway dies, and record each answered call."""
    with httpx2.Client(timeout=60) as client:
        for turn in range(100_000):
            if stop.is_set():
                return
            summary = f"writer {number} turn {turn}"
            body = {"app": "lark", "tool": "task_v2_task_create", "arguments": {"data": {"summary": summary}}}
            try:
                response = client.post(url, json=body)
            except httpx2.HTTPError:
                return
            if response.status_code == 200:
                made = response.json()
                guid = json.loads(made["reply"]["content"][0]["text"])["task"]["guid"]
                answered.append((made["step"], guid, summary))


def _round(data: Path, rng: random.Random) -> int:
    gateway = start_gateway(data)
    names = [s["name"] for s in gateway.api("GET", "/sessions").json()["sessions"] if s["name"] != "default"]
    if not names:
        names = [
            gateway.session(durability="durable", world="empty", name=f"kill-{n}")["name"] for n in range(SESSIONS)
        ]
    before = {name: gateway.api("GET", f"/sessions/{name}").json()["step"] for name in names}
    answered: dict[str, list[tuple[int, str, str]]] = {name: [] for name in names}
    stop = threading.Event()
    threads = [
        threading.Thread(
            target=_write,
            args=(f"{gateway.url}/api/sessions/{names[n % SESSIONS]}/calls", n, answered[names[n % SESSIONS]], stop),
        )
        for n in range(WRITERS)
    ]
    for thread in threads:
        thread.start()
    time.sleep(rng.uniform(0.05, 0.6))
    gateway.process.kill()
    gateway.process.wait()
    stop.set()
    for thread in threads:
        thread.join()

    again = start_gateway(data)
    try:
        for name in names:
            _check(again, name, before[name], answered[name])
    finally:
        stop_gateway(again)
    return sum(len(a) for a in answered.values())


def _check(gateway: Gateway, name: str, before: int, answered: list[tuple[int, str, str]]) -> None:
    lines = gateway.journal(name)
    assert [line["step"] for line in lines] == list(range(1, len(lines) + 1))
    tasks = {t["guid"]: t["summary"] for t in gateway.api("GET", f"/sessions/{name}/state").json()["lark"]["task"]}
    by_step = {line["step"]: line for line in lines}
    for step, guid, summary in answered:
        assert tasks[guid] == summary
        assert by_step[step]["arguments"]["data"]["summary"] == summary
    # Journal and rows agree, also for calls whose client got no answer.
    inserted: dict[str, Any] = {}
    for line in lines:
        assert line["ok"]
        (change,) = (c for c in line["changes"] if c["entity"] == "task")
        assert change["op"] == "insert"
        inserted[change["id"]] = change["after"]["summary"]
    assert inserted == tasks
    # At most one call per writer was stored without its answer getting through.
    assert len(answered) <= len(lines) - before <= len(answered) + WRITERS


@pytest.mark.long
def test_a_sigkill_loses_no_answered_call(tmp_path: Path) -> None:
    assert _round(tmp_path, random.Random(0)) > 0


@pytest.mark.long
def test_twenty_rounds_of_sigkill_lose_no_answered_call(tmp_path: Path) -> None:
    rng = random.Random(20)
    assert sum(_round(tmp_path, rng) for _ in range(20)) > 200
