"""Tools that wait for messages move the session's clock without real waiting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app

_GIVEN = {
    "user": [{"id": 100, "self": True, "first_name": "Noor"}, {"id": 200, "first_name": "Pavel"}],
    "incoming_message": [{"chat_id": 200, "id": 74, "sender_id": 200, "text": "ping", "seconds_ago": 2}],
}
_NEW, _SETTLED = "wait_for_new_message", "wait_for_settled_message"


@pytest.mark.parametrize(
    ("tool", "arguments", "says", "waited_s"),
    [
        (_NEW, {}, '"event": true', 0),
        (_NEW, {"chat_id": 999}, '"reason": "timeout"', 50),
        (_NEW, {"chat_id": 999, "timeout": 0.25}, '"reason": "timeout"', 0.25),
        (_NEW, {"chat_id": 999, "timeout": -1}, '"reason": "timeout"', 0),
        (_NEW, {"chat_id": 999, "timeout": 1e300}, '"reason": "timeout"', 86_400),
        (_SETTLED, {}, '"event": true', 4),
        (_SETTLED, {"settle_ms": 2000}, '"event": true', 0),
        (_SETTLED, {"settle_ms": 2500, "max_wait_ms": 500}, '"event": true', 0.5),
        (_SETTLED, {"settle_ms": 2500, "max_wait_ms": 499}, '"reason": "timeout"', 0.499),
        (_SETTLED, {"chat_id": 999}, '"reason": "timeout"', 50),
        (_SETTLED, {"chat_id": 999, "max_wait_ms": -1}, '"reason": "timeout"', 0),
        (_SETTLED, {"chat_id": 999, "max_wait_ms": 10**12}, '"reason": "timeout"', 86_400),
    ],
)
def test_waiting_moves_the_clock(
    new_session: Callable[..., Session], tool: str, arguments: dict[str, Any], says: str, waited_s: float
) -> None:
    session = new_session(at="2026-03-10T09:00:00Z")
    with session.context.transaction():
        state.load(session.context, {"telegram": _GIVEN})
    before = session.context.read_meta().clock
    made = dispatch(session, load_app("telegram"), tool, arguments)
    assert made.reply is not None
    assert says in made.reply["content"][0]["text"]
    assert session.context.read_meta().clock.at_ms - before.at_ms == before.tick_ms + waited_s * 1000


def test_the_feed_writes_what_settles_between_two_calls(new_session: Callable[..., Session]) -> None:
    session = new_session(at="2026-03-10T09:00:00Z")
    with session.context.transaction():
        rows = [{"chat_id": 200, "id": 74, "sender_id": 200, "text": "ping", "date": "2026-03-10T09:00:00+00:00"}]
        state.load(session.context, {"telegram": {**_GIVEN, "incoming_message": rows}})
    app = load_app("telegram")
    dispatch(session, app, "enable_incoming_feed", {"settle_ms": 5000})
    assert session.context.app("telegram").count("incoming_message") == 1
    dispatch(session, app, _NEW, {"chat_id": 999, "timeout": 6})
    dispatch(session, app, "incoming_feed_status", {})
    assert session.context.app("telegram").count("incoming_message") == 0
    written = session.context.app("telegram").disk.read("/srv/telegram-mcp/incoming_feed.jsonl")
    assert b'"message_count": 1' in written
