"""Every view of the journal shows faults, arguments, the client, and replies that did not reach it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.cli.test_commands import soundstage
from tests.conftest import Gateway
from tests.gateway.faults.small_state import SMALL_STATE, WRITES

POST, _ = WRITES["slack"]
_MODERN = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28"}
_PROBE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "3.1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
RULES = [
    {"fault": "lost_ack", "when": {"call": 1}},
    {"fault": "lost_ack", "name": "lost behind a timeout", "shows": "timeout", "when": {"call": 2}},
    {"fault": "duplicate_delivery", "when": {"call": 3}},
    {"fault": "connection_drop", "when": {"call": 4}},
    {"fault": "drift", "change": "message_edited", "when": {"call": 5}},
]
LOST, TIMED_OUT, FIRST_OF_TWO, SECOND_OF_TWO, DROPPED, DRIFT, LAST = range(2, 9)
"""The steps. The first one wrote the initial state."""


def text(number: int) -> str:
    return f"The van leaves at {number}."


@pytest.fixture(scope="module")
def session(gateway: Gateway) -> Iterator[str]:
    """A session in which a client that sends its name made five posts, with a fault at each."""
    made = gateway.session(world="empty", name="views", faults={"rules": RULES})
    gateway.api("PUT", f"/sessions/{made['id']}/state", json=SMALL_STATE)
    for number in range(1, 6):
        params = {"name": POST, "arguments": {"channel_id": "C0GENERAL1", "text": text(number)}, "_meta": _PROBE}
        body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        headers = {**_MODERN, "Mcp-Method": "tools/call", "Mcp-Name": POST}
        try:
            answered = httpx2.post(made["apps"]["slack"], json=body, headers=headers)
            assert answered.status_code == 200, answered.text
        except httpx2.RemoteProtocolError:
            assert number in (1, 4), "only these lose their connection"
    yield str(made["id"])
    gateway.api("DELETE", f"/sessions/{made['id']}")


@pytest.fixture(scope="module")
def lines(gateway: Gateway, session: str) -> dict[int, dict[str, Any]]:
    return {line["step"]: line for line in gateway.journal(session)}


def content_of(reply: Any) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(reply["content"][0]["text"])
    return value


def test_the_control_api_shows_faults_arguments_clients_and_lost_replies(lines: dict[int, dict[str, Any]]) -> None:
    assert {step: line["fault"] for step, line in lines.items()} == {
        1: None,
        LOST: "lost_ack",
        TIMED_OUT: "lost_ack",
        FIRST_OF_TWO: "duplicate_delivery",
        SECOND_OF_TWO: "duplicate_delivery",
        DROPPED: "connection_drop",
        DRIFT: "drift",
        LAST: "drift",
    }
    assert [step for step, line in lines.items() if line["lost"] is not None] == [LOST, TIMED_OUT, FIRST_OF_TWO]
    for step, number in ((LOST, 1), (TIMED_OUT, 2), (FIRST_OF_TWO, 3)):
        line = lines[step]
        assert line["arguments"]["text"] == content_of(line["lost"])["message"]["text"] == text(number)
        assert [c["op"] for c in line["changes"]] == ["insert"]
    assert lines[LOST]["reply"] is None
    assert content_of(lines[TIMED_OUT]["reply"]) == {"error": "fetch failed"}
    assert content_of(lines[SECOND_OF_TWO]["reply"])["message"]["text"] == text(3)
    assert (lines[DROPPED]["reply"], lines[DROPPED]["changes"]) == (None, [])
    called = [line["client"] for line in lines.values() if line["kind"] == "call"]
    assert called == ["probe/3.1 (2026-07-28)"] * 5
    assert lines[FIRST_OF_TWO]["client"] is not None
    assert lines[DRIFT]["client"] is None, "nobody called"


def test_the_command_shows_the_same_as_the_control_api(gateway: Gateway, session: str) -> None:
    shown = soundstage("sessions", "journal", "views", data=gateway.data).stdout
    steps = {int(block.split()[0]): block for block in _blocks(shown)}
    for step, number in ((LOST, 1), (TIMED_OUT, 2), (FIRST_OF_TWO, 3)):
        assert f'"text":"{text(number)}"' in _labelled(steps[step], "arguments")
        assert text(number) in _labelled(steps[step], "lost")
        assert "+ slack message" in steps[step]
    assert "fault: lost_ack" in steps[LOST]
    assert "nothing reached the client" in _labelled(steps[LOST], "reply")
    assert "fetch failed" in _labelled(steps[TIMED_OUT], "reply")
    assert "fault: connection_drop" in steps[DROPPED]
    assert "lost" not in steps[DROPPED]
    assert "fault drift  ok  fault: drift" in steps[DRIFT]
    assert "by probe/3.1 (2026-07-28)" in steps[LAST]
    assert text(5) in _labelled(steps[LAST], "reply")


@pytest.mark.parametrize("step", [LOST, TIMED_OUT, FIRST_OF_TWO])
def test_the_page_of_a_call_shows_the_lost_reply(gateway: Gateway, session: str, step: int) -> None:
    page = httpx2.get(f"{gateway.url}/sessions/{session}/calls/{step}").text
    lost = page.partition("Lost: the app's answer")[2].partition("</pre>")[0]
    assert "The van leaves at" in lost
    assert ("nothing reached the client" in page) == (step != TIMED_OUT)


def test_the_timeline_shows_faults_clients_and_lost_replies(gateway: Gateway, session: str) -> None:
    page = httpx2.get(f"{gateway.url}/sessions/{session}").text
    rows = {int(row.split('"', 1)[0]): row for row in page.split('data-step="')[1:]}
    for step, number in ((LOST, 1), (TIMED_OUT, 2), (FIRST_OF_TWO, 3)):
        args, _, reply = rows[step].partition('class="reply"')
        assert text(number) in args
        assert "lost:" in reply
        assert text(number) in reply
    assert "⚡ lost_ack" in rows[LOST]
    assert "no answer" in rows[DROPPED]
    assert "⚡ connection_drop" in rows[DROPPED]
    assert ">probe<" in rows[LAST]
    assert ">fault<" in rows[DRIFT]
    assert '<span class="upd">~1</span>' in rows[DRIFT]


def _blocks(shown: str) -> list[str]:
    """Split the command's output into one text per step."""
    blocks: list[str] = []
    for line in shown.splitlines():
        if line[:5].strip():
            blocks.append(line)
        else:
            blocks[-1] += f"\n{line}"
    return blocks


def _labelled(block: str, label: str) -> str:
    return next((line for line in block.splitlines() if line.split()[:1] == [label]), "")
