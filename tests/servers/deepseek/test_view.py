"""The view of DeepSeek: conversations, and queries outside of conversations."""

from __future__ import annotations

import html
import re
from typing import Any

import httpx2
import pytest

from tests.conftest import Gateway
from tests.gateway.web.conftest import call

_HOSTILE = '<script>alert("x")</script>'


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="empty", apps=["deepseek"])["id"]
    return made


def _words(gateway: Gateway, session: str, **query: Any) -> str:
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/deepseek", params={"fragment": "", **query}, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    assert _HOSTILE not in answer.text
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.text)))


def test_a_single_query_is_shown_with_its_answer_and_a_conversation_with_its_turns(
    gateway: Gateway, session: str
) -> None:
    assert "Nothing has been said." in _words(gateway, session)
    alone = call(gateway, session, "deepseek", "chat_completion", message=f"What is a lantern? {_HOSTILE}")
    assert alone["ok"], alone
    answer_line = alone["reply"]["content"][0]["text"].split("\n")[0]
    shown = _words(gateway, session)
    assert "Asked once What is a lantern?" in shown
    assert answer_line in shown
    call(gateway, session, "deepseek", "chat_completion", message="And a lamp?", conversation_id="lamps")
    shown = _words(gateway, session)
    assert "user And a lamp?" in shown
    assert "user What is a lantern?" not in shown
    back = _words(gateway, session, step=alone["step"])
    assert "user What is a lantern?" in back
    assert "user And a lamp?" not in back
    assert "And a lamp?" in _words(gateway, session, step="9" * 40)
    assert "Asked once And" not in shown


def test_several_messages_and_a_refusal_are_shown_as_turns(gateway: Gateway, session: str) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is a boat?"}]
    call(gateway, session, "deepseek", "chat_completion", messages=messages)
    shown = _words(gateway, session)
    assert "system Be brief. user What is a boat? assistant" in shown
    call(gateway, session, "deepseek", "chat_completion", message="x", model="no-such-model")
    shown = _words(gateway, session)
    assert "x failed" in shown
    assert "error " in shown
