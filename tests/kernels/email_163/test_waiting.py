"""A call that the real server never answers takes a minute of the session's time."""

from __future__ import annotations

from collections.abc import Callable

from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app

ACCOUNT = {"user": "mei@163.com", "password": "authcode123", "provider": "163"}
MAIL = {"uid": 1, "from": "a@b.test", "date": "Mon, 01 Jan 2024 09:00:00 +0800"}


def test_a_hanging_call_moves_the_clock_by_a_minute(new_session: Callable[..., Session]) -> None:
    for tool, arguments in (("get_recent_emails", {"limit": 0}), ("get_email_content", {"uid": "77"})):
        session = new_session()
        with session.context.step("state", "state", None):
            state.load(session.context, {"email_163": {"account": [ACCOUNT], "email": [MAIL]}})
        before = session.context.read_meta().clock.at_ms
        made = dispatch(session, load_app("email_163"), tool, arguments)
        assert made.reply == {"error": {"code": -32001, "message": "Request timed out"}}
        assert 60_000 <= session.context.read_meta().clock.at_ms - before < 70_000
