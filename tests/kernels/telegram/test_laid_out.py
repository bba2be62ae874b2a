"""Replies of messages, contacts and media that are laid out over lines, in plain ASCII: cases compare JSON by what it says."""

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
_GIVEN = {
    "user": [_ME, {"id": 200, "first_name": "Påvel", "contact": True, "blocked": True}],
    "message": [{"chat_id": 200, "id": 1, "sender_id": 200, "text": "x", "date": "2026-03-01T10:00:00Z"}],
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
    ],
)
def test_is_indented_by_two_blanks_with_other_letters_escaped(
    tool: str, arguments: dict[str, Any], new_session: Callable[..., Session]
) -> None:
    text = _text(new_session(), tool, arguments)
    assert "\\u" in text
    assert text == json.dumps(json.loads(text), indent=2)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_last_interaction", {"contact_id": 200}),
        ("set_contact_alias", {"alias": "söta", "chat_id": "me"}),
        ("wait_for_new_message", {"timeout": 0}),
    ],
)
def test_is_one_line_in_plain_letters(
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
