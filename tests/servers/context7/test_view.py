"""The view of Context7."""

from __future__ import annotations

import re

import httpx2

from tests.conftest import Gateway

_HOSTILE = '<script>alert("x")</script>'


def _page(gateway: Gateway, session: str, **query: str) -> str:
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/context7", params={"fragment": "", **query}, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    return answer.text


def test_a_fresh_session_shows_the_librarys_documentation(gateway: Gateway) -> None:
    session = gateway.session(world="empty", apps=["context7"])["id"]
    page = _page(gateway, session, library="/acme/widgetkit")
    words = re.sub(r"<[^>]*>|\s+", " ", page)
    for shown in ("WidgetKit Extras", "v2.1.0, v1.9.3", "Create a widget", "trust 8.5", "v1.9.3 alone"):
        assert shown in words, shown
    assert "<pre><code>from widgetkit import create\nw = create(&#39;clock&#39;)" in page


def test_a_states_own_documentation_is_shown_and_escaped(gateway: Gateway) -> None:
    session = gateway.session(world="empty", apps=["context7"])["id"]
    library = {"id": "/tern/tide", "description": _HOSTILE}
    doc = {"id": "d1", "libraryId": "/tern/tide", "text": f"{_HOSTILE}\n```\n{_HOSTILE}\n"}
    put = gateway.api("PUT", f"/sessions/{session}/state", json={"context7": {"library": [library], "doc": [doc]}})
    assert put.status_code == 200, put.text
    page = _page(gateway, session, library="/no/such")
    assert _HOSTILE not in page
    assert "/tern/tide" in page
    assert "WidgetKit" not in page
    gateway.api("PUT", f"/sessions/{session}/state", json={"context7": {"library": []}})
    assert "There are no libraries" in _page(gateway, session)
