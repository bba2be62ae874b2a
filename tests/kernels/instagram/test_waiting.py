"""Waiting for a container advances the session's clock without real waiting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app

ME = "17841409900000001"
MADE = "2026-03-10T09:00:00+0000"
VIDEO = {"id": "17820000000000001", "owner": ME, "status_code": "IN_PROGRESS", "created_at": MADE}
CREATE, PUBLISH = "INSTAGRAM_CREATE_POST", "INSTAGRAM_POST_IG_USER_MEDIA_PUBLISH"


@pytest.mark.parametrize(
    ("tool", "container", "more", "says", "waited_s"),
    [
        (CREATE, {"status_code": "FINISHED"}, {}, '"successful":true', 0),
        (CREATE, {"ready_at": "2026-03-10T09:00:30+0000"}, {}, '"successful":true', 34.25),
        (CREATE, {"ready_at": "2026-03-10T09:00:07+0000", "fails": True}, {}, "processing failed", 7.5),
        (CREATE, {}, {}, "not ready for publishing", 124.25),
        (CREATE, {"status_code": "EXPIRED"}, {}, "has been expired", 124.25),
        (CREATE, {"status_code": "PUBLISHED"}, {}, "not ready for publishing", 124.25),
        (PUBLISH, {"ready_at": "2026-03-10T09:00:30+0000"}, {}, '"successful":true', 30),
        (PUBLISH, {"ready_at": "2026-03-10T09:00:07+0000", "fails": True}, {}, "Unknown error", 9),
        (PUBLISH, {}, {}, "Timeout after 45s", 45),
        (PUBLISH, {}, {"max_wait_seconds": 10, "poll_interval_seconds": 4}, "Timeout after 10s", 8),
        (PUBLISH, {}, {"max_wait_seconds": 2}, "Timeout after 2s", 0),
        (PUBLISH, {"status_code": "EXPIRED"}, {}, "has expired", 0),
        (PUBLISH, {"created_at": "2026-03-09T09:00:08+0000"}, {}, "has expired", 9),
        (PUBLISH, {"status_code": "PUBLISHED"}, {}, "already published", 0),
    ],
)
def test_polling_moves_the_clock(
    new_session: Callable[..., Session],
    tool: str,
    container: dict[str, Any],
    more: dict[str, Any],
    says: str,
    waited_s: float,
) -> None:
    session = new_session(at="2026-03-10T09:00:00Z")
    with session.context.transaction():
        given = {"ig_user": [{"id": ME}], "container": [{**VIDEO, **container}]}
        state.load(session.context, {"instagram": given})
    before = session.context.read_meta().clock
    made = dispatch(session, load_app("instagram"), tool, {"creation_id": VIDEO["id"], **more})
    assert made.reply is not None
    assert says in made.reply["content"][0]["text"]
    assert session.context.read_meta().clock.at_ms - before.at_ms == before.tick_ms + waited_s * 1000


def test_a_video_is_published_in_the_second_in_which_it_was_ready(new_session: Callable[..., Session]) -> None:
    session = new_session(at="2026-03-10T09:00:00Z")
    with session.context.transaction():
        state.load(
            session.context, {"instagram": {"ig_user": [{"id": ME}], "container": [{**VIDEO, "ready_at": MADE}]}}
        )
    app = load_app("instagram")
    made = dispatch(session, app, CREATE, {"creation_id": VIDEO["id"]})
    assert made.reply is not None
    media = session.context.app("instagram").get("media", orjson.loads(made.reply["content"][0]["text"])["data"]["id"])
    assert media is not None
    assert media["timestamp"] == MADE
