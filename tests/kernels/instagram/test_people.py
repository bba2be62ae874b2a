"""Several people in one context of the world `studio`.

Each acts with their own account and reads only their own chats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from soundstage.contexts.engine.journal import Caller
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app

LIN, SOFIA, AMINA = None, "sofia_duarte", "ig_amina"
SECRET = "the quince is ripe"


class Instagram:
    """A session of the world `studio` whose tools can be called as any person."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def __call__(self, user: str | None, tool: str, **arguments: Any) -> dict[str, Any]:
        made = dispatch(self.session, load_app("instagram"), f"INSTAGRAM_{tool}", arguments, caller=Caller(user))
        assert made.reply is not None
        reply: dict[str, Any] = orjson.loads(made.reply["content"][0]["text"])
        return reply


@pytest.fixture
def instagram(new_session: Callable[..., Session]) -> Instagram:
    return Instagram(new_session(world="studio"))


def test_each_person_has_a_separate_profile_and_feed(instagram: Instagram) -> None:
    names = [instagram(user, "GET_USER_INFO")["data"]["username"] for user in (LIN, SOFIA, AMINA)]
    assert names == ["lantern.sets", "sofia.na.xangai", "amina.frames"]
    made = instagram(SOFIA, "CREATE_MEDIA_CONTAINER", image_url="https://media.example/tram.jpg", caption="Tram 28")
    published = instagram(SOFIA, "CREATE_POST", creation_id=made["data"]["id"])
    feeds = [[post["id"] for post in instagram(user, "GET_USER_MEDIA")["data"]] for user in (LIN, SOFIA)]
    assert published["data"]["id"] in feeds[1]
    assert published["data"]["id"] not in feeds[0]


def test_a_container_belongs_to_one_account(instagram: Instagram) -> None:
    made = instagram(SOFIA, "CREATE_MEDIA_CONTAINER", image_url="https://media.example/tram.jpg")["data"]["id"]
    assert "does not exist" in instagram(LIN, "GET_POST_STATUS", creation_id=made)["error"]
    assert "does not exist" in instagram(LIN, "CREATE_POST", creation_id=made)["error"]
    usage = [instagram(u, "GET_IG_USER_CONTENT_PUBLISHING_LIMIT", fields="quota_usage") for u in (LIN, SOFIA)]
    instagram(SOFIA, "CREATE_POST", creation_id=made)
    after = [instagram(u, "GET_IG_USER_CONTENT_PUBLISHING_LIMIT", fields="quota_usage") for u in (LIN, SOFIA)]
    assert [a["data"][0]["quota_usage"] - b["data"][0]["quota_usage"] for a, b in zip(after, usage, strict=True)] == [
        0,
        1,
    ]


def test_chats_are_read_by_their_two_people(instagram: Instagram) -> None:
    chats = instagram(AMINA, "LIST_ALL_CONVERSATIONS")["data"]
    assert len(chats) == 1
    people = {p["username"]: p["id"] for p in chats[0]["participants"]["data"]}
    sent = instagram(AMINA, "SEND_TEXT_MESSAGE", recipient_id=people["lantern.sets"], text=SECRET)
    assert "outside of allowed window" in sent["error"]
    for user, sees in ((LIN, True), (AMINA, True), (SOFIA, False)):
        read = instagram(user, "LIST_ALL_MESSAGES", conversation_id=chats[0]["id"])
        assert ("I will wait" in str(read["data"])) is sees, user
        assert read["successful"] is sees


def test_comments_name_their_author_who_can_delete_them(instagram: Instagram) -> None:
    post = instagram(LIN, "GET_USER_MEDIA", limit=1)["data"][0]["id"]
    written = {
        user: instagram(user, "POST_IG_MEDIA_COMMENTS", ig_media_id=post, message=SECRET) for user in (SOFIA, AMINA)
    }
    shown = instagram(LIN, "GET_IG_MEDIA_COMMENTS", ig_media_id=post, fields="text,username")["data"]
    assert [c["username"] for c in shown if c["text"] == SECRET] == ["sofia.na.xangai", "amina.frames"]
    refused = instagram(SOFIA, "DELETE_COMMENT", ig_comment_id=written[AMINA]["data"]["id"])
    assert "(#10)" in refused["error"]
    assert instagram(SOFIA, "DELETE_COMMENT", ig_comment_id=written[SOFIA]["data"]["id"])["successful"]
    assert instagram(LIN, "DELETE_COMMENT", ig_comment_id=written[AMINA]["data"]["id"])["successful"]


def test_insights_are_of_own_posts_and_own_accounts(instagram: Instagram) -> None:
    post = instagram(LIN, "GET_USER_MEDIA", limit=1)["data"][0]["id"]
    assert instagram(LIN, "GET_IG_MEDIA_INSIGHTS", ig_media_id=post, metric=["reach"])["data"]
    assert "(#10)" in instagram(SOFIA, "GET_IG_MEDIA_INSIGHTS", ig_media_id=post, metric=["reach"])["error"]
    assert instagram(LIN, "GET_USER_INSIGHTS", metric=["reach"])["data"]
    assert instagram(SOFIA, "GET_USER_INSIGHTS", metric=["reach"])["data"] == []
