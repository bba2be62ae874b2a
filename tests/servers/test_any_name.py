"""A server that ignores the called name answers any name as its only tool does."""

from __future__ import annotations

from collections.abc import Callable

from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app


def test_any_name_is_answered_by_the_only_tool(new_session: Callable[..., Session]) -> None:
    session, app = new_session(at="2026-03-10T09:00:00Z"), load_app("deep_research")
    called = [dispatch(session, app, name, {"question": "Who sells lanterns?"}) for name in ("deep-research", "nope")]
    first, second = (call.delivery.answer.wire()["content"][0]["text"].splitlines() for call in called)
    timeless = [[line for line in lines if not line.startswith("Current Time")] for lines in (first, second)]
    assert timeless[0] == timeless[1]
    assert "Who sells lanterns?" in first
    refused = dispatch(session, app, "nope", {"question": 5}).delivery.answer.wire()
    assert refused["error"]["code"] == -32603
