from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soundstage.contexts.engine.words import identifiers, pieces, stem, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("calendar_v4_calendarEvent_create", ["calendar", "v", "4", "calendar", "event", "create"]),
        ("getHTTPResponse", ["get", "http", "response"]),
        ("API-post-search", ["api", "post", "search"]),
        ("notion.pages/readPage", ["notion", "pages", "read", "page"]),
        ("my To-Do list, to-dos", ["my", "todo", "list", "todos"]),
        ("发送消息", ["发送", "送消", "消息"]),
        ("发 send消息 message", ["发", "send", "消息", "message"]),
        ("Ｗｉｄｅ ﬁle", ["wide", "file"]),
        ("Überweisung größer", ["überweisung", "größer"]),
        ("", []),
        ("!?—", []),
    ],
)
def test_a_text_is_split_into_words(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


def test_stop_words_are_left_out() -> None:
    assert words("Could you please send a message to the team?") == ["send", "message", "team"]


def test_words_with_one_stem_are_equal() -> None:
    assert len({stem(w) for w in ("message", "messages", "messaging")}) == 1
    assert stem("消息") == "消息"


def test_only_code_like_words_are_identifiers() -> None:
    assert identifiers("run slack_post_message or postMessage, then API-get-self please") == {
        "slack_post_message",
        "postmessage",
        "api-get-self",
    }
    assert identifiers("Send it to Anna - now") == set()


@given(st.text())
def test_any_text_can_be_split(text: str) -> None:
    for piece in pieces(text):
        assert piece
        assert stem(piece)
    identifiers(text)
