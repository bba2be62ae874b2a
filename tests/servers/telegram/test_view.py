"""Telegram's page: its content, the place it opens at, and its handling of invalid addresses and texts."""

from __future__ import annotations

from typing import Any

import pytest

from soundstage.contexts.engine.clock import parse_moment
from soundstage.contexts.engine.state import load
from soundstage.contexts.engine.store import Context
from soundstage.servers.telegram import view
from soundstage.servers.telegram.view.markup import pieces

ME, BEN, OTTO, GROUP = 700100200, 700100201, 700100203, -1002500100400
NOW = parse_moment("2026-03-10T09:00:00Z")
AT = "2026-03-09T18:00:00+00:00"
STATE: dict[str, list[dict[str, Any]]] = {
    "user": [
        {"id": ME, "self": True, "first_name": "Nora", "last_name": "Field"},
        {"id": BEN, "first_name": "Ben", "last_name": "Okoro"},
        {"id": OTTO, "first_name": "Otto"},
    ],
    "chat": [
        {"id": GROUP, "type": "supergroup", "title": "Darkroom Talk", "participants": [ME, BEN, OTTO], "forum": True}
    ],
    "message": [
        {
            "chat_id": GROUP,
            "id": 1,
            "sender_id": BEN,
            "text": "Who has the key?",
            "date": AT,
            "topic_id": 7,
            "pinned": True,
        },
        {"chat_id": GROUP, "id": 2, "sender_id": ME, "text": "I do", "date": AT, "reply_to_msg_id": 1},
        {"chat_id": GROUP, "id": 3, "sender_id": OTTO, "text": "", "date": AT, "fwd_from": {"from_id": BEN}},
        {"chat_id": GROUP, "id": 4, "sender_id": BEN, "text": "x", "date": AT, "reply_to_msg_id": 99},
        {"chat_id": BEN, "id": 900, "sender_id": BEN, "text": "hi", "date": AT},
        {"chat_id": OTTO, "id": 901, "sender_id": BEN, "owner_id": BEN, "text": "psst", "date": AT},
    ],
    "dialog": [{"chat_id": GROUP, "unread_count": 2}, {"chat_id": BEN, "archived": True}, {"chat_id": ME}],
    "media": [{"chat_id": GROUP, "message_id": 3, "kind": "photo", "width": 20, "height": 10, "size": 2048}],
    "reaction": [
        {"chat_id": GROUP, "message_id": 1, "user_id": ME, "emoji": "👍"},
        {"chat_id": GROUP, "message_id": 1, "user_id": OTTO, "emoji": "👍"},
        {"chat_id": GROUP, "message_id": 1, "user_id": BEN, "emoji": "👀"},
    ],
    "topic": [{"chat_id": GROUP, "id": 7, "title": "Keys"}],
    "draft": [{"chat_id": BEN, "message": "not yet"}],
}


def _shown(context: Context, **query: str) -> dict[str, Any]:
    with context.transaction():
        load(context, {"telegram": STATE})
    return dict(view.show(context.app("telegram"), query, NOW).data)


def test_the_list_has_each_chat_with_its_last_message_or_draft(context: Context) -> None:
    group, ben, saved = _shown(context)["chats"]
    assert (group["name"], group["who"], group["last"], group["unread"]) == ("Darkroom Talk", "Ben", "x", 2)
    assert (ben["name"], ben["who"], ben["draft"], ben["archived"]) == ("Ben Okoro", "", "not yet", True)
    assert (saved["name"], saved["last"], saved["at"]) == ("Saved Messages", "", None)


def test_a_chat_shows_bubbles_with_replies_origins_media_and_reactions(context: Context) -> None:
    shown = _shown(context, chat=str(GROUP))
    first, second, third, fourth = shown["messages"]
    assert shown["about"] == "3 members"
    assert shown["pinned"] == [{"id": 1, "text": "Who has the key?"}]
    assert first["reactions"] == [("👍", 2, True), ("👀", 1, False)]
    assert (second["out"], second["reply"]) == (True, {"sender": "Ben Okoro", "text": "Who has the key?"})
    assert third["forwarded"] == "Ben Okoro"
    assert third["media"] == {"kind": "photo", "sign": "🖼", "name": "photo", "told": "20 × 10, 2.0 KB"}
    assert fourth["reply"] == {"sender": "", "text": "Deleted message"}


def test_a_topic_shows_its_messages_alone(context: Context) -> None:
    assert [m["id"] for m in _shown(context, chat=str(GROUP), topic="7")["messages"]] == [1]


def test_messages_between_others_are_not_shown(context: Context) -> None:
    assert _shown(context, chat=str(OTTO))["messages"] == []


@pytest.mark.parametrize(
    "query", [{"chat": "x"}, {"chat": "9" * 30}, {"chat": "1", "message": "é", "topic": "-", "before": "0.5"}]
)
def test_unknown_addresses_cause_no_error(context: Context, query: dict[str, str]) -> None:
    assert _shown(context, **query)["me"] == "Nora Field"


def test_the_page_is_empty_without_a_login(context: Context) -> None:
    assert view.show(context.app("telegram"), {}, NOW).data["chats"] == []


@pytest.mark.parametrize(
    ("entity", "value", "query"),
    [
        ("chat", {"id": GROUP}, {"chat": str(GROUP)}),
        ("message", {"chat_id": GROUP, "id": 3}, {"chat": str(GROUP), "message": "3"}),
        ("message", {"chat_id": OTTO, "id": 3, "owner_id": BEN}, None),
        ("reaction", {"chat_id": GROUP, "message_id": 3, "user_id": BEN}, {"chat": str(GROUP), "message": "3"}),
        ("draft", {"chat_id": BEN}, {"chat": str(BEN)}),
        ("folder", {"id": 2}, None),
    ],
)
def test_place_of_an_object(context: Context, entity: str, value: dict[str, Any], query: dict[str, str] | None) -> None:
    assert view.place(context.app("telegram"), entity, value) == query


def test_marked_parts_cut_a_text_by_utf_16_units_and_may_lie_within_each_other() -> None:
    marked = [
        {"type": "bold", "offset": 3, "length": 6},
        {"type": "text_url", "offset": 5, "length": 2, "url": "https://a.example"},
        {"type": "italic", "offset": 8, "length": 99},
        {"type": "custom_emoji", "offset": 0, "length": 2},
    ]
    assert [tuple(p) for p in pieces("😀 abcdef", marked)] == [
        ("", "😀", ""),
        ("", " ", ""),
        ("bold", "ab", ""),
        ("bold link", "cd", "https://a.example"),
        ("bold", "e", ""),
        ("bold italic", "f", ""),
    ]
    assert pieces("", []) == []
