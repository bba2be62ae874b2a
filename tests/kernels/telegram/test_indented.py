"""Which replies are laid out over lines and in plain ASCII, and which are one line: cases compare JSON by what it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app

_BOT = {"id": 640100105, "self": True, "first_name": "Tïde", "username": "tide_bot", "bot": True}
_GROUP = {"id": -4600100100, "type": "group", "title": "Båt", "participants": [640100105], "creator": True}
_GIVEN = {
    "user": [_BOT],
    "chat": [_GROUP, {**_GROUP, "id": -1002600100200, "type": "supergroup"}],
    "folder": [{"id": 2, "title": "Båt", "include_chat_ids": [-4600100100]}],
    "profile_photo": [{"id": 5, "user_id": 640100105}],
    "message": [{"chat_id": -4600100100, "id": 5, "sender_id": 640100105, "text": "x", "date": "2026-03-01T10:00:00Z"}],
    "read_receipt": [{"chat_id": -4600100100, "message_id": 5, "user_id": 7}],
    "admin_event": [
        {
            "id": 1,
            "chat_id": -1002600100200,
            "user_id": 640100105,
            "date": "2026-03-01T10:00:00Z",
            "action": "change_title",
            "new_value": "Båt",
        }
    ],
}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_public_chats", {"query": "båt"}),
        ("get_bot_info", {"bot_username": "me"}),
        ("get_user_photos", {"user_id": "me"}),
        ("get_message_read_by", {"chat_id": -4600100100, "message_id": 5}),
        ("get_recent_actions", {"chat_id": -1002600100200}),
        ("list_folders", {}),
        ("get_folder", {"folder_id": 2}),
        ("create_folder", {"title": "Båt", "groups": True}),
    ],
)
def test_is_indented_by_two_blanks_with_other_letters_escaped(
    tool: str, arguments: dict[str, Any], new_session: Callable[..., Session]
) -> None:
    text = _text(new_session(), tool, arguments)
    assert text == json.dumps(json.loads(text), indent=2)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("get_full_chat", {"chat_id": -4600100100}), ("get_full_user", {"username": "me"})],
)
def test_is_one_line_in_plain_letters(
    tool: str, arguments: dict[str, Any], new_session: Callable[..., Session]
) -> None:
    text = _text(new_session(), tool, arguments)
    assert text == json.dumps(json.loads(text), ensure_ascii=False)


def _text(session: Session, tool: str, arguments: dict[str, Any]) -> str:
    with session.context.transaction():
        state.load(session.context, {"telegram": _GIVEN})
    made = dispatch(session, load_app("telegram"), tool, arguments)
    assert made.reply is not None
    return str(made.reply["content"][0]["text"])
