"""Clocks stop at the year 9999: a clock that would soon get there is refused, and a session that is there breaks no list."""

from __future__ import annotations

from typing import Any

import apsw
import httpx2
import pytest

from tests.conftest import Gateway


@pytest.mark.parametrize(
    ("clock", "words"),
    [
        ({"at": "9999-12-31T23:59:59Z"}, "between 1970 and the year 9999"),
        ({"at": "9998-12-31T23:59:59Z"}, "it can be at most 0 ms, or start with an earlier `at`"),
        ({"tick_ms": 2**53 - 1}, "clock.tick_ms"),
        ({"mode": "scaled", "scale": 1e6}, "clock.scale"),
        ({"mode": "scaled", "scale": 2, "at": "9998-12-31T00:00:00Z"}, "within 30 days"),
    ],
    ids=str,
)
def test_a_clock_that_would_soon_reach_the_limit_is_refused(
    gateway: Gateway, clock: dict[str, Any], words: str
) -> None:
    refused = gateway.api("POST", "/sessions", json={"world": "empty", "clock": clock})
    assert refused.status_code == 400
    assert words in refused.json()["error"]
    session = gateway.session(world="empty", apps=["slack"])
    changed = gateway.api("POST", f"/sessions/{session['id']}/clock", json=clock)
    assert changed.status_code == 400
    assert words in changed.json()["error"]
    assert gateway.api("GET", "/sessions").status_code == 200


def test_a_fast_clock_is_accepted_if_the_session_expires_first(gateway: Gateway) -> None:
    clock = {"mode": "scaled", "scale": 1e6}
    assert gateway.session(world="empty", apps=["slack"], ttl=3600, clock=clock)["clock"]["scale"] == 1e6
    assert gateway.session(world="empty", apps=["slack"], clock={"tick_ms": 86_400_000})["clock"]["mode"] == "tick"


def test_one_session_beyond_the_limit_breaks_no_list(gateway: Gateway) -> None:
    session = gateway.session(world="empty", apps=["slack"], name="gone-far", durability="durable")
    path = f"/sessions/{session['id']}"
    body = {"app": "slack", "tool": "slack_list_channels", "arguments": {}}
    assert gateway.api("POST", f"{path}/calls", json=body).json()["ok"]
    (file,) = gateway.data.rglob(f"{session['id']}.db")
    other = apsw.Connection(str(file))
    other.set_busy_timeout(5000)
    other.execute("UPDATE _meta SET clock_at = 9000000000000000; UPDATE _journal SET at = 9000000000000000")
    other.close()
    listed = httpx2.get(f"{gateway.url}/sessions")
    assert listed.status_code == 200
    assert "gone-far" in listed.text
    assert "its clock shows a time that cannot be" in listed.text
    assert gateway.api("GET", "/sessions").status_code == 200
    assert gateway.api("GET", path).json()["clock"]["now"] == "9999-01-01T00:00:00.000Z"
    refused = gateway.api("POST", f"{path}/calls", json=body)
    assert refused.status_code == 409
    assert "set it to an earlier moment" in refused.json()["error"]
    assert gateway.api("POST", f"{path}/reset").json()["clock"]["now"] < "2100"
    assert gateway.api("POST", f"{path}/calls", json=body).json()["ok"]
