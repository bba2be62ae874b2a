"""Reddit's page: communities, feeds, threads and people."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from tests.conftest import Gateway

NOW = 1795160000.0
STATE: dict[str, list[dict[str, Any]]] = {
    "user": [
        {"name": "reed_otter", "comment_karma": 1300, "link_karma": 4, "created_utc": 1700000000.0},
        {"name": "mossy_mae", "comment_karma": 1, "link_karma": 2, "is_mod": True},
    ],
    "subreddit": [
        {"display_name": "ponds", "title": "Ponds", "subscribers": 5000, "subreddit_type": "public"},
        {"display_name": "attic", "title": "Attic", "subscribers": 3, "subreddit_type": "private", "approved": ["reed_otter"]},
    ],
    "rule": [{"subreddit": "ponds", "short_name": "Be kind", "priority": 0}],
    "flair": [{"id": "f-1", "subreddit": "ponds", "text": "Photo"}],
    "post": [
        {"id": "1a", "subreddit": "ponds", "title": "First <b>frogs</b>", "author": "mossy_mae", "score": 40,
         "selftext": "Two of them.", "created_utc": NOW - 9000, "link_flair_text": "Photo", "locked": True},
        {"id": "1b", "subreddit": "attic", "title": "Boxes", "author": "reed_otter", "score": 2000, "is_self": False,
         "url": "https://site.test/boxes", "created_utc": NOW - 90000},
        {"id": "1c", "subreddit": "ponds", "title": "Gone", "author": "[deleted]", "selftext": "[deleted]",
         "removed_by_category": "deleted", "created_utc": NOW},
    ],
    "comment": [
        {"id": "n1", "link_id": "t3_1a", "parent_id": "t3_1a", "author": "reed_otter", "body": "Early.", "score": 2},
        {"id": "n2", "link_id": "t3_1a", "parent_id": "t1_n1", "author": "mossy_mae", "body": "Yes!", "score": 1,
         "is_submitter": True, "link_title": "First frogs", "created_utc": NOW},
        {"id": "n3", "link_id": "t3_1a", "parent_id": "t3_1a", "author": "[deleted]", "body": "[removed]", "score": 9},
    ],
}  # fmt: skip


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="empty", apps=["reddit"])["id"]
    put = gateway.api("PUT", f"/sessions/{made}/state", json={"reddit": STATE})
    assert put.status_code == 200, put.text
    return made


def page(gateway: Gateway, session: str, **query: str) -> str:
    """Return the text of the page, with a space for each tag."""
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/reddit", params={"fragment": "", **query}, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.text))


def test_the_feed_has_every_community_and_omits_deleted_posts(gateway: Gateway, session: str) -> None:
    shown = page(gateway, session, sort="top")
    assert "2 posts in 2 communities" in shown
    assert shown.index("Boxes") < shown.index("First")
    assert "🔗 https://site.test/boxes" in shown
    assert "Gone" not in shown
    assert "2,000" in shown
    assert "🔒 r/attic" in shown


def test_titles_are_escaped(gateway: Gateway, session: str) -> None:
    assert "First &lt;b&gt;frogs&lt;/b&gt;" in page(gateway, session)


def test_a_community_shows_its_own_posts_rules_and_flairs(gateway: Gateway, session: str) -> None:
    shown = page(gateway, session, community="ponds")
    assert "5,000 members · public" in shown
    assert "Be kind" in shown
    assert "Photo" in shown
    assert "Boxes" not in shown


def test_a_post_has_its_thread_below_it(gateway: Gateway, session: str) -> None:
    shown = page(gateway, session, post="1a")
    assert shown.index("[removed]") < shown.index("Early.") < shown.index("Yes!")
    assert "u/mossy_mae OP · 1 point ·" in shown
    assert "locked" in shown


def test_a_person_shows_posts_and_comments(gateway: Gateway, session: str) -> None:
    shown = page(gateway, session, user="mossy_mae")
    assert "2 post karma · 1 comment karma · moderator" in shown
    assert "on First frogs · 1 points" in shown
    assert "Boxes" not in shown


def test_unknown_pages_show_the_feed(gateway: Gateway, session: str) -> None:
    for query in ({"post": "zz"}, {"user": "zz"}, {"community": "zz"}, {"sort": "zz", "offset": "x"}):
        assert "Boxes" in page(gateway, session, **query)


def test_the_page_opens_at_the_newest_change(gateway: Gateway, session: str) -> None:
    made = gateway.api(
        "POST", f"/sessions/{session}/calls",
        json={"app": "reddit", "tool": "reply_to_post", "arguments": {"post_id": "1b", "content": "Mine are labelled."}},
    )  # fmt: skip
    assert made.status_code == 200, made.text
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/reddit", params={"fragment": ""}, timeout=30).text
    assert "Mine are labelled." in answer.partition('id="changed"')[2][:600]
