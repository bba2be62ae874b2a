"""A mid-task user request reaches an HTTP client as a notification next to the reply that brings it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from mcp.client import Client

from tests.conftest import Gateway, wait_until
from tests.gateway.agent_requests import TOOL, request_for

WISH = "Please be brief."
NOTICE = {
    "jsonrpc": "2.0",
    "method": "notifications/message",
    "params": {"level": "notice", "logger": "user", "data": WISH},
}
LEGACY = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
ASKS = {"io.modelcontextprotocol/logLevel": "info"}


@pytest.fixture
def session(gateway: Gateway) -> dict[str, Any]:
    """A session whose user makes a request at the second call."""
    rules = [{"fault": "new_constraint", "wish": WISH, "when": {"call": 2}}]
    return gateway.session(world="empty", faults={"rules": rules})


def post(gateway: Gateway, session: dict[str, Any], mode: str, **meta: str) -> httpx2.Response:
    path, body, headers = request_for(session["handle"], "Book the van")
    if mode == "legacy":
        body["params"].pop("_meta")
        headers = LEGACY
    else:
        body["params"]["_meta"] = {**body["params"]["_meta"], **meta}
    answered = httpx2.post(gateway.url + path, json=body, headers=headers)
    assert answered.status_code == 200, answered.text
    return answered


def events(response: httpx2.Response) -> list[dict[str, Any]]:
    assert response.headers["content-type"] == "text/event-stream"
    return list(_events(response.text.splitlines()))


def _events(lines: Any) -> Iterator[dict[str, Any]]:
    for line in lines:
        if line.startswith("data: {"):
            yield json.loads(line.removeprefix("data: "))


def last_text(message: dict[str, Any]) -> str:
    return str(message["result"]["content"][-1]["text"])


async def test_a_client_gets_the_request_as_over_stdio(session: dict[str, Any]) -> None:
    notices: list[Any] = []

    async def listen(params: Any) -> None:
        notices.append((params.level, params.logger, params.data))

    async with Client(session["mcp_url"], mode="legacy", logging_callback=listen) as client:
        results = [await client.call_tool(TOOL, {"data": {"summary": "Book the van"}}) for _ in range(3)]
    assert [WISH in str(result.content[-1]) for result in results] == [False, True, False]
    assert notices == [("notice", "user", WISH)]


def test_an_open_stream_gets_the_notification_instead_of_the_response(
    gateway: Gateway, session: dict[str, Any]
) -> None:
    with httpx2.stream("GET", session["mcp_url"], headers=LEGACY, timeout=60) as stream:
        assert stream.status_code == 200
        answers = [post(gateway, session, "legacy") for _ in range(2)]
        assert next(_events(stream.iter_lines())) == NOTICE
    assert last_text(answers[1].json()) == WISH


def test_a_closed_stream_gets_no_notification(gateway: Gateway) -> None:
    rules = [
        {"name": f"ask at {call}", "fault": "new_constraint", "wish": WISH, "when": {"call": call}}
        for call in range(1, 51)
    ]
    session = gateway.session(world="empty", faults={"rules": rules})
    with httpx2.stream("GET", session["mcp_url"], headers=LEGACY, timeout=60) as stream:
        assert stream.status_code == 200
    responses: list[httpx2.Response] = []

    def is_noticed() -> bool:
        responses.append(post(gateway, session, "legacy"))
        return str(responses[-1].headers["content-type"]) == "text/event-stream"

    wait_until(is_noticed, "the gateway sees that the stream is closed")
    notice, answered = events(responses[-1])
    assert notice == NOTICE
    assert last_text(answered) == WISH


def test_the_stream_of_another_seat_gets_no_notification(gateway: Gateway) -> None:
    rules = [{"fault": "new_constraint", "wish": WISH, "when": {"call": 1}}]
    session = gateway.session(faults={"rules": rules})
    seat = gateway.api("POST", f"/sessions/{session['id']}/seats", json={"user": "sofia_duarte"}).json()
    with httpx2.stream("GET", seat["mcp_url"], headers=LEGACY, timeout=60) as stream:
        assert stream.status_code == 200
        assert events(post(gateway, session, "legacy"))[0] == NOTICE


def test_since_2026_the_response_contains_the_notification_if_requested(
    gateway: Gateway, session: dict[str, Any]
) -> None:
    assert "result" in post(gateway, session, "2026-07-28", **ASKS).json()
    notice, answered = events(post(gateway, session, "2026-07-28", **ASKS))
    assert notice == NOTICE
    assert last_text(answered) == WISH


def test_a_client_without_notifications_gets_the_request_only_in_the_reply(
    gateway: Gateway, session: dict[str, Any]
) -> None:
    answers = [post(gateway, session, "2026-07-28").json() for _ in range(2)]
    assert last_text(answers[1]) == WISH
