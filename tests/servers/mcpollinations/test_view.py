"""The view of MCPollinations: prompts with their pictures and texts."""

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
    made: str = gateway.session(world="empty", apps=["mcpollinations"])["id"]
    return made


def _page(gateway: Gateway, session: str, **query: Any) -> str:
    answer = httpx2.get(
        f"{gateway.url}/sessions/{session}/apps/mcpollinations", params={"fragment": "", **query}, timeout=30
    )
    assert answer.status_code == 200, answer.text[:500]
    assert _HOSTILE not in answer.text
    return answer.text


def test_a_picture_is_shown_from_its_file_while_that_exists(gateway: Gateway, session: str) -> None:
    assert "Nothing has been asked yet" in _page(gateway, session)
    call(gateway, session, "mcpollinations", "generateImage", prompt=_HOSTILE, fileName="heron", width=64, height=48)
    page = _page(gateway, session)
    source = re.search(r'<img src="([^"]+)" alt="&lt;script', page)
    assert source is not None
    assert "heron.png" in page
    picture = httpx2.get(gateway.url + html.unescape(source[1]))
    assert picture.headers["content-type"] == "image/jpeg"
    assert gateway.api("PUT", f"/sessions/{session}/state", json={"disk": {"file": []}}).status_code == 200
    gone = _page(gateway, session)
    assert "<img" not in gone
    assert "Image saved to:" in gone
    assert "<img" in _page(gateway, session, at=1)


def test_texts_addresses_and_failures_are_shown_as_in_the_reply(gateway: Gateway, session: str) -> None:
    call(gateway, session, "mcpollinations", "respondText", prompt="hello")
    assert "Hello from the text model." in _page(gateway, session)
    call(gateway, session, "mcpollinations", "generateImageUrl", prompt="a heron")
    assert "imageUrl" in _page(gateway, session)
    state = {"mcpollinations": {"service": [{"name": "text", "status": 502}]}}
    assert gateway.api("PUT", f"/sessions/{session}/state", json=state).status_code == 200
    call(gateway, session, "mcpollinations", "respondText", prompt="hello")
    page = _page(gateway, session)
    assert "text: answers with HTTP 502." in page
    assert "Error generating text response" in page
    assert "a heron" in page
