"""Maximum lengths of texts that are too long to be written out as cases."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app

STATE = {
    "reddit": {
        "user": [{"name": "reed_otter"}],
        "subreddit": [
            {"display_name": "ponds", "subreddit_type": "public"},
            {"display_name": "slow", "subreddit_type": "public", "ratelimited": True},
        ],
        "post": [
            {"id": "1text", "subreddit": "ponds", "author": "reed_otter", "selftext": "Frogs."},
            {
                "id": "1link",
                "subreddit": "ponds",
                "author": "reed_otter",
                "is_self": False,
                "url": "https://site.test/",
            },
        ],
        "comment": [
            {"id": "n1a", "author": "reed_otter", "body": "Yes.", "link_id": "t3_1text", "parent_id": "t3_1text"}
        ],
    }
}


@pytest.fixture
def ponds(new_session: Callable[..., Session]) -> Session:
    session = new_session(world="empty")
    with session.context.transaction():
        state.load(session.context, STATE)
    return session


def answer(session: Session, tool: str, **arguments: object) -> str:
    reply = dispatch(session, load_app("reddit"), tool, dict(arguments)).reply
    assert reply is not None
    return str(reply["content"][0]["text"])


def post(session: Session, length: int, community: str = "ponds") -> str:
    return answer(session, "create_post", subreddit=community, title="Long", content="c" * length)


def test_a_post_has_room_for_forty_thousand_characters(ponds: Session) -> None:
    assert post(ponds, 40_000).startswith("# Post Created")
    assert post(ponds, 40_001).endswith("Reddit API errors: this is too long (max: 40000)")
    assert "you are doing that too much" in post(ponds, 40_001, "slow"), "a rate limit goes before the text"


def test_characters_are_counted_not_units(ponds: Session) -> None:
    frogs = answer(ponds, "create_post", subreddit="ponds", title="🐸" * 300, content="")
    assert frogs.startswith("# Post Created")


def test_an_edited_post_has_the_same_room(ponds: Session) -> None:
    assert answer(ponds, "edit_post", thing_id="1text", new_text="e" * 40_000).startswith("# Post Edited")
    assert "too long (max: 40000)" in answer(ponds, "edit_post", thing_id="1text", new_text="e" * 40_001)
    assert "HTTP 403" in answer(ponds, "edit_post", thing_id="1link", new_text="e" * 40_001), (
        "a link goes before its text"
    )


def test_a_comment_has_room_for_ten_thousand(ponds: Session) -> None:
    assert answer(ponds, "reply_to_post", post_id="1text", content="d" * 10_000).startswith("# Reply Posted")
    assert "too long (max: 10000)" in answer(ponds, "reply_to_post", post_id="1text", content="d" * 10_001)


def test_an_edited_comment_has_the_same_room_unless_the_prefix_is_a_posts(ponds: Session) -> None:
    assert answer(ponds, "edit_comment", thing_id="n1a", new_text="f" * 10_000).startswith("# Comment Edited")
    assert "too long (max: 10000)" in answer(ponds, "edit_comment", thing_id="n1a", new_text="f" * 10_001)
    assert answer(ponds, "edit_comment", thing_id="t3_1text", new_text="f" * 10_001).startswith("# Comment Edited")
