"""A connection that a fault breaks ends without a byte of an answer, in either revision."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Gateway
from tests.gateway.agent_requests import request_for
from tests.gateway.serving.wire import Connection

_LEGACY = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


def request(session: dict[str, Any], mode: str) -> tuple[str, str, Any, dict[str, str]]:
    path, body, headers = request_for(session["handle"], "Book the van")
    if mode == "legacy":
        body["params"].pop("_meta")
        headers = _LEGACY
    return "POST", path, body, headers


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
@pytest.mark.parametrize(("fault", "made"), [("connection_drop", 0), ("lost_ack", 1)])
def test_the_connection_ends_without_a_byte_and_the_next_one_works(
    gateway: Gateway, mode: str, fault: str, made: int
) -> None:
    rules = [{"fault": fault, "when": {"call": 2}}]
    session = gateway.session(world="empty", faults={"rules": rules})
    connection = Connection(gateway.url)
    before = connection.ask(*request(session, mode))
    assert "result" in before.json()
    connection.send(connection.request(*request(session, mode)))
    assert connection.until_closed() == b""
    after = Connection(gateway.url).ask(*request(session, mode))
    assert "result" in after.json()
    lines = gateway.journal(session["id"])
    assert [(line["reply"] is None, line["fault"], len(line["changes"])) for line in lines] == [
        (False, None, len(lines[0]["changes"])),
        (True, fault, made * len(lines[0]["changes"])),
        (False, None, len(lines[0]["changes"])),
    ]


def test_calls_on_other_connections_continue(gateway: Gateway) -> None:
    session = gateway.session(world="empty", faults={"rules": [{"fault": "connection_drop", "when": {"call": 1}}]})
    faulted, other = Connection(gateway.url), Connection(gateway.url)
    assert other.ask("GET", "/healthz").status == 200
    faulted.send(faulted.request(*request(session, "legacy")))
    assert faulted.until_closed() == b""
    assert "result" in other.ask(*request(session, "legacy")).json()
