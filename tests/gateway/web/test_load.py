"""Long sessions, many sessions, and the cost of watching a session."""

from __future__ import annotations

import statistics
import threading
import time
from pathlib import Path

import httpx2
import pytest

from tests.conftest import Gateway, start_gateway, stop_gateway

pytestmark = [pytest.mark.long, pytest.mark.timed]

_PAGE_S = 0.3
_PAGE_BYTES = 500_000


def _pages(gateway: Gateway, *paths: str) -> None:
    for path in paths:
        first = httpx2.get(gateway.url + path, timeout=30)
        assert first.status_code == 200
        took = min(
            first.elapsed.total_seconds(), *(httpx2.get(gateway.url + path).elapsed.total_seconds() for _ in range(2))
        )
        assert took <= _PAGE_S, f"{path} took {took:.3f} s"
        assert len(first.content) <= _PAGE_BYTES, path


def test_a_session_with_a_thousand_calls_is_shown(gateway: Gateway) -> None:
    session = gateway.session(world="empty", durability="durable")["id"]
    with httpx2.Client(base_url=gateway.url) as client:
        for i in range(1000):
            body = {
                "app": "lark",
                "tool": "task_v2_task_create",
                "arguments": {"data": {"summary": f"Task {i} " + "x" * 500}},
            }
            assert client.post(f"/api/sessions/{session}/calls", json=body).status_code == 200
    here = f"/sessions/{session}"
    _pages(
        gateway, here, f"{here}?before=500", f"{here}?effect=read", f"{here}/diff", f"{here}/apps/lark?at=500",
        f"{here}/apps/lark?view=tables&entity=task", f"{here}/calls/1000", f"{here}/faults",
    )  # fmt: skip
    gateway.api("DELETE", f"/sessions/{session}")


def test_a_thousand_sessions_are_listed(tmp_path: Path) -> None:
    first = start_gateway(tmp_path)
    with httpx2.Client(base_url=first.url, timeout=30) as client:
        for _ in range(1000):
            assert client.post("/api/sessions", json={"world": "empty"}).status_code == 201
    stop_gateway(first)
    gateway = start_gateway(tmp_path)  # no session is open yet
    try:
        _pages(gateway, "/sessions", "/sessions?offset=500")
    finally:
        stop_gateway(gateway)


def test_watching_a_session_costs_little(gateway: Gateway) -> None:
    session = gateway.session(world="empty")["id"]
    body = {"app": "lark", "tool": "task_v2_task_create", "arguments": {"data": {"summary": "A task"}}}

    def cpu() -> float:
        fields = Path(f"/proc/{gateway.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def run() -> float:
        before = cpu()
        with httpx2.Client(base_url=gateway.url) as client:
            for _ in range(700):
                client.post(f"/api/sessions/{session}/calls", json=body)
        return cpu() - before

    def watch(stop: threading.Event) -> None:
        with httpx2.stream("GET", f"{gateway.url}/sessions/{session}/events", timeout=30) as response:
            for _ in response.iter_raw():
                if stop.is_set():
                    return

    if not Path("/proc/self/stat").exists():
        pytest.skip("reads the process's CPU time from /proc")
    run()
    ratios = []
    for _ in range(5):
        alone = run()
        stop = threading.Event()
        watcher = threading.Thread(target=watch, args=(stop,))
        watcher.start()
        time.sleep(0.5)
        watched = run()
        stop.set()
        httpx2.post(f"{gateway.url}/api/sessions/{session}/calls", json=body)
        watcher.join(60)
        ratios.append(watched / alone)
    assert statistics.median(ratios) <= 1.10, ratios
    gateway.api("DELETE", f"/sessions/{session}")
