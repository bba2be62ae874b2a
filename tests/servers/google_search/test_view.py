"""The views of Google's and Tavily's results: queries, results, and a web page."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from soundstage.servers.results.view import Answer, Result
from soundstage.servers.tavily.view import read
from soundstage.servers.view import Call
from tests.conftest import Gateway
from tests.gateway.web.conftest import call

_HOSTILE = '<script>alert("x")</script>'
_HERON = {"url": "http://ferry.test/", "title": "Heron ferry", "html": "<h1>Heron</h1><p>The heron sails at eight.</p>"}
_GULL = {"url": "http://gull.test/", "title": _HOSTILE, "html": f"<p>Heron and gull {_HOSTILE}</p><p>Second line</p>"}
_ASK = {"google_search": "search", "tavily": "tavily-search"}


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="empty", apps=list(_ASK))["id"]
    return made


def _own_web(gateway: Gateway, session: str) -> None:
    for app in _ASK:
        put = gateway.api("PUT", f"/sessions/{session}/state", json={app: {"page": [_HERON, _GULL]}})
        assert put.status_code == 200, put.text


def _page(gateway: Gateway, session: str, app: str, **query: Any) -> str:
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/{app}", params={"fragment": "", **query}, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    assert _HOSTILE not in answer.text
    return answer.text


def _words(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))


@pytest.mark.parametrize("app", _ASK)
def test_results_are_shown_as_in_the_reply_and_a_page_opens(gateway: Gateway, session: str, app: str) -> None:
    first = _words(_page(gateway, session, app))
    assert re.search(r"Nothing has been asked yet.* \d[\d,]+ pages of the web can be found here", first)
    _own_web(gateway, session)
    call(gateway, session, app, _ASK[app], query="heron")
    page = _page(gateway, session, app)
    words = _words(page)
    for shown in ("Asked: heron", "2 results", "Heron ferry", "http://ferry.test/", "The heron sails at eight."):
        assert shown in words, shown
    assert "&lt;script&gt;" in page
    opened = _words(_page(gateway, session, app, page="http://ferry.test/"))
    assert "← Results" in opened
    assert "The heron sails at eight." in opened
    assert "2 results" not in opened
    assert "no page at http://nowhere.test/" in _words(_page(gateway, session, app, page="http://nowhere.test/"))


@pytest.mark.parametrize("app", _ASK)
def test_earlier_queries_are_linked_and_an_earlier_step_does_not_show_later_ones(
    gateway: Gateway, session: str, app: str
) -> None:
    _own_web(gateway, session)  # two steps
    for number in range(45):
        call(gateway, session, app, _ASK[app], query=f"heron {number}")
    page = _page(gateway, session, app)
    assert "heron 44" in page
    assert "heron 5<" in page
    assert "heron 4<" not in page
    older = re.search(r"before=(\d+)", page)
    assert older is not None
    assert "heron 4<" in _page(gateway, session, app, before=older[1])
    assert "Asked: heron 3" in _words(_page(gateway, session, app, step=6))
    then = _page(gateway, session, app, at=3)
    assert "heron 0" in then
    assert "heron 1" not in then
    for strange in ({"step": "x"}, {"step": "9" * 30}, {"step": "1"}, {"before": "0"}):
        assert "class=" in _page(gateway, session, app, **strange)


def test_a_refusal_is_shown_in_its_words_and_a_key_problem_is_reported(gateway: Gateway, session: str) -> None:
    refused = {
        "google_search": {"api_key": [{"name": "key", "valid": False}]},
        "tavily": {"quota": [{"name": "quota", "state": "plan_limit"}]},
    }
    assert gateway.api("PUT", f"/sessions/{session}/state?mode=add", json=refused).status_code == 200
    for app, tool in _ASK.items():
        call(gateway, session, app, tool, query="heron")
    google, tavily = (_words(_page(gateway, session, app)) for app in _ASK)
    assert "The API key is not valid" in google
    assert "Search API error: API key not valid." in google
    assert "The plan is used up: HTTP 432." in tavily
    assert "Request failed with status code 432" in tavily
    assert "failed" in tavily


def test_a_page_that_was_read_is_shown_completely_and_lists_show_the_queries(gateway: Gateway, session: str) -> None:
    _own_web(gateway, session)
    call(gateway, session, "google_search", "read_webpage", url="http://ferry.test/")
    words = _words(_page(gateway, session, "google_search"))
    assert "Asked: http://ferry.test/" in words
    assert "Read a page" in words
    assert "HeronThe heron sails at eight." in words
    call(gateway, session, "tavily", "tavily-extract", urls=["http://ferry.test/", "http://gone.test/"])
    words = _words(_page(gateway, session, "tavily"))
    assert "Asked: http://ferry.test/, http://gone.test/" in words
    assert "Extract" in words
    assert "The heron sails at eight." in words
    assert "undefined" not in words


def _call(text: str) -> Call:
    return Call(1, datetime(2026, 11, 20, tzinfo=UTC), "tavily-search", {}, True, text)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (
            "Detailed Results:\n\nTitle: A\nURL: http://a/\nContent: one\n\ntwo\n\nTitle: B\nURL: http://b/\nContent: x\n"
            "Raw Content: all\nof it\nFavicon: http://b/i.ico\n\nImages:\n\n[1] URL: http://p/1\n   Description: d\n\n[2] URL: http://p/2",
            Answer(
                [Result("A", "http://a/", "one\n\ntwo"), Result("B", "http://b/", "all\nof it", whole=True)],
                ["http://p/1", "http://p/2"],
            ),
        ),
        (
            "Crawl Results:\nBase URL: http://a/\n\nCrawled Pages:\n\n[1] URL: http://a/\nContent: one\n[x]...\n\n[2] URL: http://a/b",
            Answer([Result("http://a/", "http://a/", "one\n[x]..."), Result("http://a/b", "http://a/b")]),
        ),
        (
            "Site Map Results:\nBase URL: http://a/\n\nMapped Pages:\n\n[1] URL: http://a/\n\n[2] URL: http://a/b",
            Answer([Result("http://a/", "http://a/"), Result("http://a/b", "http://a/b")]),
        ),
        ("Detailed Results:", Answer([])),
        ("something that a fault left", Answer(text="something that a fault left")),
    ],
)  # fmt: skip
def test_tavilys_text_reads_as_results(text: str, answer: Answer) -> None:
    result = read(_call(text))
    assert (list(result.results), list(result.pictures), result.text) == (
        list(answer.results),
        list(answer.pictures),
        answer.text,
    )
