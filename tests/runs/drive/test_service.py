"""Agents that are services: a trial is posted to them, and their reply is submitted."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from soundstage.runs.drive.service import Service
from tests.runs.drive.fake_gateway import trial


class Replies:
    """A service with configurable replies that records its last request."""

    def __init__(self) -> None:
        self.request_body: Any = None
        self.status, self.body = 200, b"{}"
        self.url = ""


@pytest.fixture
def service() -> Iterator[Replies]:
    replies = Replies()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            replies.request_body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(replies.status)
            self.send_header("Content-Length", str(len(replies.body)))
            self.end_headers()
            self.wfile.write(replies.body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    replies.url = f"http://127.0.0.1:{server.server_address[1]}/work"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield replies
    server.shutdown()
    server.server_close()


async def test_a_trial_is_posted_and_the_reply_is_the_answer(service: Replies) -> None:
    service.body = json.dumps({"answer": "两个人。", "outcome": "asked", "usage": {"output_tokens": 9}}).encode()
    submission = await Service(service.url).work(trial())
    assert (submission.outcome, submission.answer) == ("asked", "两个人。")
    assert submission.usage is not None
    assert submission.usage.output_tokens == 9
    assert service.request_body["instruction"] == "Tick the lantern off.\n把灯关掉。"
    assert service.request_body["mcp"] == {"url": "http://127.0.0.1:1/s/handle/mcp", "headers": {}}
    assert service.request_body["limits"] == {"calls": 20, "minutes": 1}


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (500, b"out of memory", "said 500: out of memory"),
        (200, b"Done.", "the reply: Invalid JSON"),
        (200, b'{"answer": "x", "outcome": "finished"}', "outcome: Input should be 'done'"),
    ],
)
async def test_an_invalid_answer_is_reported_and_not_counted_against_the_agent(
    service: Replies, status: int, body: bytes, message: str
) -> None:
    service.status, service.body = status, body
    submission = await Service(service.url).work(trial())
    assert submission.error is not None
    assert message in submission.error


async def test_an_unreachable_service_is_reported() -> None:
    submission = await Service("http://127.0.0.1:9/work").work(trial())
    assert submission.error is not None
    assert "did not answer" in submission.error
