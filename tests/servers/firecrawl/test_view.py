"""The view of a team's crawls, like Firecrawl's dashboard."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from tests.conftest import Gateway
from tests.gateway.web.conftest import call

_HOSTILE = '<script>alert("x")</script>'


def _state() -> dict[str, Any]:
    page = {"title": "Metro", "sourceURL": "https://loom.test/metro"}
    status = {"completed": 1, "total": 2, "creditsUsed": 1, "expiresAt": "2026-11-21T08:00:00.000Z"}
    read = {"markdown": _HOSTILE, "metadata": page}
    return {
        "page": [],
        "crawl_job": [
            {"id": "a", "url": "https://loom.test", "status": "completed", **status, "data": [read]},
            {"id": "b", "url": _HOSTILE, "status": "failed", "expiresAt": "soon", "data": [{"html": "<p>h</p>"}] * 70},
        ],
    }  # fmt: skip


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="empty", apps=["firecrawl"])["id"]
    return made


def _words(gateway: Gateway, session: str, **query: str) -> str:
    answer = httpx2.get(
        f"{gateway.url}/sessions/{session}/apps/firecrawl", params={"fragment": "", **query}, timeout=30
    )
    assert answer.status_code == 200, answer.text[:500]
    assert _HOSTILE not in answer.text
    return re.sub(r"<[^>]*>|\s+", " ", answer.text)


def test_crawls_are_shown_with_their_pages(gateway: Gateway, session: str) -> None:
    put = gateway.api("PUT", f"/sessions/{session}/state", json={"firecrawl": _state()})
    assert put.status_code == 200, put.text
    first = _words(gateway, session, job="a")
    for shown in (
        "https://loom.test",
        "1 of 2 pages",
        "1 credits",
        "stored until",
        "Metro",
        "https://loom.test/metro",
        "alert",
    ):
        assert shown in first, shown
    second = _words(gateway, session, job="b")
    assert "and 10 more" in second
    assert "failed" in second
    assert "Crawls" in _words(gateway, session, job="nobody")


def test_a_started_crawl_is_shown_as_open_with_its_pending_pages(gateway: Gateway, session: str) -> None:
    call(gateway, session, "firecrawl", "firecrawl_crawl", url="http://seagull.site.test", limit=3)
    page = _words(gateway, session)
    assert "scraping" in page
    assert "Not read yet" in page
    assert "http://seagull.site.test/menu" in page


def test_without_a_crawl_there_is_nothing_to_show(gateway: Gateway, session: str) -> None:
    assert "No crawl was started" in _words(gateway, session)
