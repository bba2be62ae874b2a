"""Replies that are indented JSON in ASCII, and replies on one line.

Cases compare parsed JSON, so they cannot distinguish the two.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app

_ME = {"id": 100, "self": True, "first_name": "Noor"}
_GROUP = {"id": -300, "type": "group", "title": "Båt", "participants": [100], "creator": True}
_RENAMED = {"chat_id": -1000000000400, "user_id": 100, "date": "2026-03-01T10:00:00Z", "action": "change_title"}
_GIVEN = {
    "user": [_ME, {"id": 200, "first_name": "Påvel", "username": "pavel_o", "contact": True, "blocked": True}],
    "chat": [_GROUP, {**_GROUP, "id": -1000000000400, "type": "supergroup"}],
    "message": [
        {"chat_id": 200, "id": 1, "sender_id": 200, "text": "x", "date": "2026-03-01T10:00:00Z"},
        {"chat_id": -300, "id": 2, "sender_id": 100, "text": "x", "date": "2026-03-01T10:00:00Z"},
    ],
    "read_receipt": [{"chat_id": -300, "message_id": 2, "user_id": 200}],
    "admin_event": [{"id": 1, **_RENAMED, "new_value": "Båt"}],
    "profile_photo": [{"id": 5, "user_id": 200}],
    "folder": [{"id": 2, "title": "Båt", "include_chat_ids": [-300]}],
    "reaction": [{"chat_id": 200, "message_id": 1, "user_id": 100, "emoji": "👍"}],
    "draft": [{"chat_id": 200, "message": "så"}],
    "sticker_set": [{"id": 1, "title": "Änder"}, {"id": 2, "title": "B"}],
    "mcp_roots": [{"status": "ready", "paths": ["/srv/båt"]}],
}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("export_contacts", {}),
        ("get_blocked_users", {}),
        ("get_drafts", {}),
        ("get_message_reactions", {"chat_id": 200, "message_id": 1}),
        ("get_sticker_sets", {}),
        ("upload_file", {"file_path": "x"}),
        ("search_public_chats", {"query": "båt"}),
        ("get_bot_info", {"bot_username": "@pavel_o"}),
        ("get_recent_actions", {"chat_id": -1000000000400}),
        ("list_folders", {}),
        ("get_folder", {"folder_id": 2}),
        ("create_folder", {"title": "Fä", "groups": True}),
    ],
)
def test_a_reply_is_indented_by_two_spaces_with_escaped_letters(
    tool: str, arguments: dict[str, Any], new_session: Callable[..., Session]
) -> None:
    text = _text(new_session(), tool, arguments)
    assert "\\u" in text
    assert text == json.dumps(json.loads(text), indent=2)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("get_user_photos", {"user_id": 200}), ("get_message_read_by", {"chat_id": -300, "message_id": 2})],
)
def test_a_reply_without_letters_to_escape_is_indented(
    tool: str, arguments: dict[str, Any], new_session: Callable[..., Session]
) -> None:
    text = _text(new_session(), tool, arguments)
    assert text == json.dumps(json.loads(text), indent=2)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_last_interaction", {"contact_id": 200}),
        ("get_full_chat", {"chat_id": -300}),
        ("get_full_user", {"username": 200}),
        ("set_contact_alias", {"alias": "söta", "chat_id": "me"}),
        ("wait_for_new_message", {"timeout": 0}),
    ],
)
def test_a_reply_on_one_line_has_unescaped_letters(
    tool: str, arguments: dict[str, Any], new_session: Callable[..., Session]
) -> None:
    text = _text(new_session(), tool, arguments)
    assert text == json.dumps(json.loads(text), ensure_ascii=False)


def _text(session: Session, tool: str, arguments: dict[str, Any]) -> str:
    with session.context.transaction():
        state.load(session.context, {"telegram": _GIVEN})
        session.context.app("telegram").disk.write("/srv/båt/x", b"x")
    made = dispatch(session, load_app("telegram"), tool, arguments)
    assert made.reply is not None
    return str(made.reply["content"][0]["text"])
