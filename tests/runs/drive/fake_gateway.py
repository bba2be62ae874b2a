"""A fake run plane for the driver's tests: it leases trials and stores submissions."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from soundstage.runs.models import LeasedTrial, LimitsShown, Mcp

TOKEN = "run-token"


def trial(name: str = "tr_1", *, seconds: float = 60, lease_s: float = 60, attempt: int = 1) -> LeasedTrial:
    """Return a trial as a runner gets it. Its address closes after `seconds` seconds."""
    return LeasedTrial(
        trial=name,
        attempt=attempt,
        task="t_1",
        instruction="Tick the lantern off.\n把灯关掉。",
        user="lin_yue",
        now="2026-11-20T01:00:00Z",
        mcp=Mcp(url="http://127.0.0.1:1/s/handle/mcp", headers={}),
        apps=["lark"],
        limits=LimitsShown(calls=20, minutes=seconds / 60),
        expires_at="2026-11-20T01:00:00Z",  # by the gateway's clock, which differs
        lease_s=lease_s,
    )


@dataclass
class FakeGateway:
    """The submissions by trial are in `submissions`. The first `away` requests are answered with 503, `full` leases with 429."""

    trials: list[LeasedTrial]
    cancelled: frozenset[str] = frozenset()
    away: int = 0
    full: int = 0
    submissions: dict[str, dict[str, Any]] = field(default_factory=dict)
    beats: list[str] = field(default_factory=list)
    most_at_once: int = 0
    url: str = ""
    _given: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str, token: str, body: dict[str, Any]) -> tuple[int, Any]:
        with self._lock:
            if self.away:
                self.away -= 1
                return 503, {"error": "this gateway is about to end"}
            if token != f"Bearer {TOKEN}":
                return 401, {"error": "this needs the token of a run: Authorization: Bearer <run token>"}
            if path == "/run/lease":
                return self._lease()
            _, _, _, name, what = path.split("/")
            if what == "heartbeat":
                self.beats.append(name)
                return 200, {"cancel": name in self.cancelled}
            self.submissions[name] = body
            return 202, {"trial": name, "attempt": body["attempt"]}

    def _lease(self) -> tuple[int, Any]:
        if self.full:
            self.full -= 1
            return 429, {"error": "this gateway is full"}
        left = [t for t in self.trials if t.trial not in self._given]
        if not left:
            return 204, None
        self._given.add(left[0].trial)
        self.most_at_once = max(self.most_at_once, len(self._given) - len(self.submissions))
        return 200, {"trials": [left[0].model_dump(mode="json")]}


@contextmanager
def served(gateway: FakeGateway) -> Iterator[FakeGateway]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, content = gateway.answer(self.path, self.headers.get("Authorization", ""), body)
            written = b"" if content is None else json.dumps(content).encode()
            self.send_response(status)
            if status == 429:
                self.send_header("Retry-After", "0.1")
            self.send_header("Content-Length", str(len(written)))
            self.end_headers()
            with suppress(BrokenPipeError):  # a driver that is stopped closes the connection
                self.wfile.write(written)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    gateway.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield gateway
    finally:
        server.shutdown()
        server.server_close()


def gone(pid: int, within_s: float = 5) -> bool:
    """Return whether a process ends within `within_s` seconds. A zombie counts as ended."""
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        try:
            with open(f"/proc/{pid}/stat") as stat:
                if stat.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False
