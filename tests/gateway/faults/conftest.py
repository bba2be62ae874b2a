"""Sessions under a schedule, and a few calls that the fault tests make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from soundstage.contexts.engine import state
from soundstage.gateway.calls.call import CallResult
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.faults import schedule_store
from soundstage.gateway.faults.check import read_schedule
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app, load_apps
from tests.gateway.faults.small_state import SMALL_STATE

Faulty = Callable[..., Session]


@pytest.fixture
def faulty(new_session: Callable[..., Session]) -> Faulty:
    """Creates a session with a small state of every app under a schedule, if any: faulty({"rules": […]}, seed=0)."""

    def make(schedule: object, *, seed: int = 0) -> Session:
        session = new_session(world="empty", seed=seed, at="2026-11-20T08:00:00Z")
        with session.context.transaction() as meta:
            state.load(session.context, SMALL_STATE)
            if schedule is not None:
                schedule_store.put(session.context, meta, read_schedule(schedule, load_apps()))
        return session

    return make


def post(session: Session, text: str = "hello") -> CallResult:
    """Post into Slack's #general."""
    return dispatch(session, load_app("slack"), "slack_post_message", {"channel_id": "C0GENERAL1", "text": text})


def history(session: Session, limit: int = 10) -> CallResult:
    """Read Slack's #general."""
    arguments = {"channel_id": "C0GENERAL1", "limit": limit}
    return dispatch(session, load_app("slack"), "slack_get_channel_history", arguments)


def text_of(call: CallResult) -> str:
    reply: dict[str, Any] = call.answer.wire()
    return str(reply["content"][0]["text"])
