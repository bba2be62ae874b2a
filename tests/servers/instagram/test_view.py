"""Instagram's page: its content, the place it opens at, and escaping of text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.web.apps import show_app
from soundstage.servers.catalogue import load_app
from soundstage.servers.view import load_view

ME, BAKER, MO = "17841409900000001", "17841409900000002", "6100000000000001"
POST, STORY, TAG, ALBUM = "17900000000000001", "17900000000000002", "17900000000000003", "17900000000000004"
PEOPLE = {"data": [{"id": ME, "username": "pier.books"}, {"id": MO, "username": "mo"}]}
GIVEN: dict[str, list[dict[str, Any]]] = {
    "ig_user": [
        {"id": ME, "username": "pier.books", "name": "Pier <b>Books</b>", "followers_count": 812, "website": "https://pier.example"},
        {"id": BAKER, "username": "salt.oven"},
    ],
    "media": [
        {"id": POST, "owner": ME, "username": "pier.books", "caption": "New shelf & more", "media_type": "IMAGE",
         "timestamp": "2026-03-09T08:00:00+0000", "like_count": 35, "comments_count": 2, "figures": {"profile_visits": 9}},
        {"id": STORY, "owner": ME, "media_type": "IMAGE", "media_product_type": "STORY", "timestamp": "2026-03-10T08:00:00+0000"},
        {"id": TAG, "owner": BAKER, "username": "salt.oven", "caption": "At the pier", "media_type": "VIDEO",
         "user_tags": [{"username": "pier.books"}]},
        {"id": ALBUM, "owner": ME, "media_type": "CAROUSEL_ALBUM",
         "children_objs": [{"id": "1"}, {"id": "2", "media_type": "VIDEO"}]},
    ],
    "comment": [
        {"id": "17810000000000001", "media_id": POST, "text": "<script>alert(1)</script>", "username": "mo", "hidden": True},
        {"id": "17810000000000002", "media_id": POST, "parent_id": "17810000000000001", "text": "No scripts here",
         "username": "pier.books"},
    ],
    "container": [{"id": "17820000000000001", "owner": ME, "status_code": "IN_PROGRESS", "media_type": "REELS",
                   "caption": "Soon"}],
    "conversation": [{"id": "aWdfA", "participants": PEOPLE, "seen_at": {ME: "2026-03-10T08:00:00+0000"}, "window_closed": True}],
    "message": [
        {"id": "aWdfM1", "conversation_id": "aWdfA", "message": "Open on Sunday?", "from": {"id": MO, "username": "mo"}},
        {"id": "aWdfM2", "conversation_id": "aWdfA", "message": "", "from": {"id": ME, "username": "pier.books"},
         "attachments": {"data": [{"image_data": {"url": "https://cdn.example/hours.jpg"}}]}},
    ],
    "insight": [{"id": f"{POST}/insights/reach/lifetime", "name": "reach", "period": "lifetime", "values": [{"value": 1204}]}],
}  # fmt: skip


@pytest.fixture
def session(new_session: Callable[..., Session]) -> Session:
    made = new_session(at="2026-03-10T09:00:00Z")
    with made.context.transaction():
        state.load(made.context, {"instagram": GIVEN})
    return made


def _page(session: Session, **query: str) -> str:
    body, is_tables = show_app(session.context, "s", "instagram", None, query)
    assert not is_tables
    return str(body)


def test_the_profile_has_a_grid_stories_and_waiting_containers(session: Session) -> None:
    page = _page(session)
    for shown in (
        "pier.books",
        "812",
        "New shelf &amp; more",
        "story",
        "2 pictures",
        "IN_PROGRESS",
        "Soon",
        "https://pier.example",
    ):
        assert shown in page, shown
    assert "At the pier" not in page
    assert "Pier &lt;b&gt;Books&lt;/b&gt;" in page


def test_stories_end_by_the_sessions_clock_if_the_state_sets_hours(new_session: Callable[..., Session]) -> None:
    for at, shown in (("2026-03-11T07:59:59Z", True), ("2026-03-11T08:00:00Z", False)):
        made = new_session(at=at)
        with made.context.transaction():
            state.load(made.context, {"instagram": {**GIVEN, "_settings": [{"story_hours": 24}]}})
        assert ('aria-label="Stories"' in _page(made)) is shown, at


def test_posts_of_others_are_under_tagged_and_on_their_profile(session: Session) -> None:
    assert "At the pier" in _page(session, profile=ME, tab="tagged")
    theirs = _page(session, profile=BAKER)
    assert "At the pier" in theirs
    assert "Soon" not in theirs
    assert "Messages" not in theirs


def test_a_post_shows_comments_answers_and_figures(session: Session) -> None:
    page = _page(session, media=POST)
    for shown in ("&lt;script&gt;", "hidden", "No scripts here", "1204", "profile visits"):
        assert shown in page, shown
    assert "<script>" not in page
    assert _page(session, media=ALBUM).count("<li>") == 2


def test_the_inbox_lists_chats_and_opens_one(session: Session) -> None:
    assert "Choose a conversation" in _page(session, page="inbox")
    page = _page(session, conversation="aWdfA")
    for shown in ("mo", "Open on Sunday?", "https://cdn.example/hours.jpg", "Seen", "window to answer is closed"):
        assert shown in page, shown
    assert page.index("Open on Sunday?") < page.rindex("hours.jpg")


def test_queries_of_any_kind_are_answered(session: Session) -> None:
    for query in (
        {"media": "x"},
        {"conversation": "x"},
        {"profile": "own"},
        {"offset": "9" * 12},
        {"offset": "-1"},
        {"offset": "²"},
        {"offset": "7"},
    ):
        assert "instagram" in _page(session, **query)


def test_without_an_account_there_is_an_empty_profile(new_session: Callable[..., Session]) -> None:
    assert "No account" in _page(new_session())


def test_the_page_opens_where_the_last_call_was(session: Session) -> None:
    app = load_app("instagram")
    dispatch(session, app, "INSTAGRAM_POST_IG_MEDIA_COMMENTS", {"ig_media_id": POST, "message": "Open till nine"})
    page = _page(session)
    assert "Open till nine" in page.partition('id="changed"')[2][:300]
    dispatch(session, app, "INSTAGRAM_MARK_SEEN", {"recipient_id": MO})
    assert 'class="chat marked"' in _page(session)
    dispatch(
        session,
        app,
        "INSTAGRAM_CREATE_MEDIA_CONTAINER",
        {"image_url": "https://cdn.example/a.jpg", "caption": "Next one"},
    )
    assert "Next one" in _page(session).partition('id="changed"')[2][:400]


@pytest.mark.parametrize(
    ("entity", "value", "query"),
    [
        ("media", {"id": POST}, {"media": POST}),
        ("comment", {"id": "1", "media_id": POST}, {"media": POST}),
        ("conversation", {"id": "aWdfA"}, {"conversation": "aWdfA"}),
        ("message", {"id": "aWdfM1", "conversation_id": "aWdfA"}, {"conversation": "aWdfA"}),
        ("ig_user", {"id": BAKER}, {"profile": BAKER}),
        ("container", {"id": "1"}, {"profile": ME}),
        ("container", {"id": "1", "owner": BAKER}, {"profile": BAKER}),
        ("insight", {"id": "x"}, None),
    ],
)
def test_every_visible_row_has_a_page(
    session: Session, entity: str, value: dict[str, str], query: dict[str, str] | None
) -> None:
    view = load_view("instagram")
    assert view is not None
    assert view.place(session.context.app("instagram"), entity, value) == query
