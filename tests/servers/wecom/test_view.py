"""The view of a WeCom group with a robot."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from tests.conftest import Gateway
from tests.gateway.web.conftest import call

_HOSTILE = '<script>alert("x")</script>'
_KEY = "5d1f0c2a-77b3-4e1c-9a0e-2f6c1d9b8a41"


def _state() -> dict[str, Any]:
    own = {"robot_key": _KEY, "created_at": 1795136400}
    called = {"mentioned_list": ["bo", "@all"], "mentioned_mobile_list": ["@all"]}
    article = {"title": "Table", "description": _HOSTILE, "url": "https://t.example"}
    markdown = (
        '# Tides\n> six <@bo>\n**noon** `x` [table](https://tides.example) <font color="warning">late</font> '
        + _HOSTILE
    )
    return {
        "webhook_robot": [{"key": _KEY, "group": "Dock watch"}, {"key": "other", "group": _HOSTILE, "removed": True}],
        "group_member": [{"robot_key": _KEY, "userid": "bo", "name": "博", "position": "Bosun"}],
        "message": [
            *({**own, "id": f"m{i}", "created_at": 1795136000 + i, "msgtype": "text", "content": f"log {i}"} for i in range(90)),
            {**own, "id": "a", "msgtype": "markdown", "content": markdown},
            {**own, "id": "b", "msgtype": "text", "content": "x", **called},
            {**own, "id": "c", "msgtype": "image", "image": {"base64": "AAAA", "md5": "x"}},
            {**own, "id": "d", "msgtype": "news", "articles": [article]},
        ],
        "file": [{"media_id": "3x", "robot_key": _KEY, "file_path": "/home/agent/t.txt", "created_at": "soon"}],
    }  # fmt: skip


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="empty", apps=["wecom"])["id"]
    put = gateway.api("PUT", f"/sessions/{made}/state", json={"wecom": _state()})
    assert put.status_code == 200, put.text
    return made


def _page(gateway: Gateway, session: str, **query: str) -> str:
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/wecom", params={"fragment": "", **query}, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    return answer.text


def test_a_group_shows_the_robots_messages_and_the_members(gateway: Gateway, session: str) -> None:
    page = _page(gateway, session)
    assert _HOSTILE not in page
    words = re.sub(r"<[^>]*>|\s+", " ", page)
    for shown in ("Dock watch", "log 89", "@博", "@all", "picture, 3 bytes", "Table", "📎 /home/agent/t.txt", "Bosun"):
        assert shown in words, shown
    assert words.count("@all") == 1
    assert "log 3 " not in words
    assert "log 3 " in re.sub(r"<[^>]*>|\s+", " ", _page(gateway, session, before="80"))
    for kind, text in (("bold", "noon"), ("code", "x"), ("link", "table"), ("warning", "late"), ("call", "@博")):
        assert f'<span class="is-{kind}">{text}</span>' in page
    assert '<p class="is-heading">Tides</p>' in page
    assert "the robot was removed" in _page(gateway, session, robot="other")
    assert "Dock watch" in _page(gateway, session, robot="nobody", before="-1")


def test_a_page_opens_at_the_robots_last_message(gateway: Gateway, session: str) -> None:
    call(gateway, session, "wecom", "send_text", content="The tide turns")
    page = _page(gateway, session)
    assert page.count('id="changed"') == 1
    assert "The tide turns" in page.partition('id="changed"')[2][:600]


def test_without_a_robot_there_is_nothing_to_show(gateway: Gateway) -> None:
    made = gateway.session(world="empty", apps=["wecom"])["id"]
    assert "There is no robot" in _page(gateway, made)
