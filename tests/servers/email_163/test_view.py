"""The view of 163 Mail: inbox, sent messages, conversations, search, and the server's account."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from tests.conftest import Gateway
from tests.gateway.web.conftest import call


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="studio", apps=["email_163"])["id"]
    return made


def page(gateway: Gateway, session: str, **query: Any) -> str:
    """Return the page's text with single spaces."""
    where = f"{gateway.url}/sessions/{session}/apps/email_163"
    answer = httpx2.get(where, params={"fragment": "", **query}, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    return re.sub(r"<[^>]*>|\s+", " ", answer.text)


def test_the_inbox_has_conversations_by_their_subject(gateway: Gateway, session: str) -> None:
    shown = page(gateway, session, view="people")
    assert "今日停水通知" in shown
    assert "妈妈" in shown
    opened = page(gateway, session, view="people", thread="来给孩子们讲讲灯")
    assert opened.index("还记得你高二拆了教室那盏灯吗") < opened.index("12月18日下午，太好了")


def test_search_looks_for_all_words(gateway: Gateway, session: str) -> None:
    shown = page(gateway, session, view="people", q="m9 定金")
    assert "M9 场地定金" in shown
    assert "今日停水通知" not in shown
    assert "没有邮件。" in page(gateway, session, view="people", q="木琴")


def test_a_sent_message_is_in_its_folder_and_the_page_opens_there(gateway: Gateway, session: str) -> None:
    arguments = {"to": ["huangli@m9stage.example"], "subject": "货梯", "text": "两米一，知道了。"}
    assert call(gateway, session, "email_163", "send_email", **arguments)["ok"]
    assert "两米一，知道了。" in page(gateway, session)
    assert "货梯" in page(gateway, session, view="people", folder="sent")


def test_the_servers_account_is_shown(gateway: Gateway, session: str) -> None:
    call(gateway, session, "email_163", "setup_email_account", email="mei@qq.com", password="x")
    assert "mei@qq.com" in page(gateway, session, view="people")
