"""The view of Deep Research: its rounds, and the results per keyword."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from tests.conftest import Gateway
from tests.gateway.web.conftest import call

_HOSTILE = '<script>alert("x")</script>'
_PAGES = [
    {"url": "http://lamps.test/", "title": "Paper lamps", "content": f"We rent paper lamps. {_HOSTILE}"},
    {"url": "http://boats.test/", "title": "Ferry boats", "content": "Boats leave at eight."},
]


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="empty", apps=["deep_research"])["id"]
    put = gateway.api("PUT", f"/sessions/{made}/state", json={"deep_research": {"page": _PAGES}})
    assert put.status_code == 200, put.text
    return made


def _words(gateway: Gateway, session: str, **query: Any) -> str:
    answer = httpx2.get(
        f"{gateway.url}/sessions/{session}/apps/deep_research", params={"fragment": "", **query}, timeout=30
    )
    assert answer.status_code == 200, answer.text[:500]
    assert _HOSTILE not in answer.text
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.text))


def test_a_round_shows_the_results_of_each_keyword(gateway: Gateway, session: str) -> None:
    known = "## Search Results for `glue`\n### Reference 1:\nTitle: Told before\nContent: Not found now.\n"
    call(
        gateway, session, "deep_research", "deep-research",
        question="Where are lamps?", keywords=["lamps", "boats"], reference=known, rounds=2,
    )  # fmt: skip
    shown = _words(gateway, session)
    for part in (
        "Asked: Where are lamps?",
        "2 results",
        "keywords: lamps, boats",
        "lamps Paper lamps We rent paper lamps.",
        "boats Ferry boats Boats leave at eight.",
    ):
        assert part in shown, part
    assert "Told before We" not in shown
    assert "Not found now. boats" not in shown
    assert "Role Definition" not in shown
    assert "Boats leave at eight." in _words(gateway, session, page="http://boats.test/")


def test_a_round_without_results_shows_the_prompt_and_a_missing_key_is_reported(gateway: Gateway, session: str) -> None:
    call(gateway, session, "deep_research", "deep-research", question="How to begin?")
    assert "# Role Definition" in _words(gateway, session)
    state = {"deep_research": {"api_key": [{"name": "key", "missing": True}]}}
    assert gateway.api("PUT", f"/sessions/{session}/state?mode=add", json=state).status_code == 200
    call(gateway, session, "deep_research", "deep-research", question="And now?")
    shown = _words(gateway, session)
    assert "without a key for Tavily: it refuses." in shown
    assert "Please configure the `TAVILY_API_KEY`" in shown
