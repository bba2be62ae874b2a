"""The views of Playwright and Puppeteer: the page as the agent's browser renders it, and its surroundings."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import httpx2
import pytest

from soundstage.servers.browser.view.sight import Unseen, seen
from soundstage.servers.view import load_view
from tests.conftest import Gateway
from tests.gateway.web.conftest import call

_HOSTILE = '<script>alert("x")</script>'
_BOOKING = """<!doctype html><title>Ferry &lt;b&gt;</title><h1>Ferry tickets</h1><p>Choose a day, <b>then</b> wait.</p>
<form><input name="who"><input type="password" name="code"><input type="hidden" name="token" value="t0">
<select name="day"><option value="mon">Monday</option><option value="tue">Tuesday</option></select>
<label><input type="checkbox" name="bike"> with a bicycle</label><textarea aria-label="Note"></textarea></form>
<p style="color: url(http://elsewhere.test/x)">&lt;script&gt;alert("x")&lt;/script&gt;</p>
<img src="http://elsewhere.test/a.png" alt="a heron"><a href="javascript:alert(1)">Questions</a>
<p style="display: none">Nobody sees this</p><script>console.error("no wind <i>")</script>"""
_PAGES = [
    {"url": "http://ferry.test/", "html": _BOOKING},
    {"url": "http://ferry.test/faq", "html": "<title>Questions</title>" + "<p>May dogs come?</p>" * 400},
]
_APPS = ("playwright", "puppeteer")


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="empty", apps=list(_APPS))["id"]
    for app in _APPS:
        put = gateway.api("PUT", f"/sessions/{made}/state?mode=add", json={app: {"page": _PAGES}})
        assert put.status_code == 200, put.text
    return made


def _page(gateway: Gateway, session: str, app: str, **query: Any) -> str:
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/{app}", params={"fragment": "", **query}, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    assert _HOSTILE not in answer.text
    return answer.text


def _words(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))


def _do(gateway: Gateway, session: str, app: str, tool: str, **arguments: Any) -> None:
    made = call(gateway, session, app, f"{app}_{tool}", **arguments)
    assert made["ok"], made


def _put(gateway: Gateway, session: str, app: str, **state: Any) -> None:
    put = gateway.api("PUT", f"/sessions/{session}/state?mode=add", json={app: state})
    assert put.status_code == 200, put.text


@pytest.mark.parametrize("app", _APPS)
def test_before_the_first_call_no_browser_is_open(gateway: Gateway, session: str, app: str) -> None:
    assert "No browser is open." in _page(gateway, session, app)
    _put(gateway, session, app, browser=[{"session": "b", "current_url": "http://ferry.test/"}])
    shown = _page(gateway, session, app)
    assert "opens the page with the agent’s next call" in shown
    assert "http://ferry.test/" in shown


@pytest.mark.parametrize("app", _APPS)
def test_a_page_is_painted_with_typed_text_and_dialogs_and_without_its_html(
    gateway: Gateway, session: str, app: str
) -> None:
    _do(gateway, session, app, "navigate", url="http://ferry.test/")
    _do(gateway, session, app, "fill", selector="[name=who]", value="Ana Rook")
    _do(gateway, session, app, "fill", selector="[name=code]", value="secret")
    _do(gateway, session, app, "select", selector="[name=day]", value="tue")
    _do(gateway, session, app, "click", selector="[name=bike]")
    page = _page(gateway, session, app)
    drawn = _words(page.partition("<svg")[2].partition("</svg>")[0])
    for shown in ("Ferry tickets", "Choose a day,", "Ana Rook", "******", "Tuesday", " x ", "a heron", "Questions"):
        assert shown in drawn, shown
    assert "Nobody sees this" not in page
    words = _words(page)
    assert "who text Ana Rook" in words
    assert "code password ••••••" in words
    assert "day select-one Tuesday" in words
    assert "bike checkbox ☑" in words
    assert "Note textarea empty" in words
    assert "t0" not in words
    assert "secret" not in words
    assert "error no wind &lt;i&gt;" in words
    assert 'aria-label="Ferry &lt;b&gt;"' in page
    assert "http://ferry.test/ about:blank" in words
    assert "elsewhere.test" not in page
    assert not re.search(r"<(script|style|iframe|img|image|foreignObject)|\s(style|on[a-z]+)=|javascript:", page)


def test_tabs_history_and_a_long_page_are_there(gateway: Gateway, session: str) -> None:
    _do(gateway, session, "playwright", "navigate", url="http://ferry.test/")
    _do(gateway, session, "playwright", "navigate", url="http://ferry.test/faq")
    opened = '<a id="w" href="/" target="_blank">More</a>'
    _do(
        gateway, session, "playwright", "evaluate", script=f"document.body.insertAdjacentHTML('afterbegin', `{opened}`)"
    )
    _do(gateway, session, "playwright", "click_and_switch_tab", selector="#w")
    tabs = gateway.api("GET", f"/sessions/{session}/state?app=playwright&entity=tab").json()["playwright"]["tab"]
    assert [t["url"] for t in tabs] == ["http://ferry.test/faq", "http://ferry.test/"]
    assert "Ferry tickets" in _page(gateway, session, "playwright", view="people")
    first = _page(gateway, session, "playwright", tab=tabs[0]["id"])
    assert "May dogs come?" in first
    assert "The window ends here" in first
    assert "The page is longer" in first
    assert "http://ferry.test/faq http://ferry.test/ about:blank" in _words(first)


@pytest.mark.parametrize("app", _APPS)
def test_the_last_screenshot_is_served_by_the_gateway_as_a_picture(gateway: Gateway, session: str, app: str) -> None:
    _do(gateway, session, app, "navigate", url="http://ferry.test/")
    for name in ("first", "second & last"):
        _do(gateway, session, app, "screenshot", name=name)
    page = _page(gateway, session, app)
    shown = re.search(r'<img src="([^"]+)"', page)
    assert shown is not None
    assert "second &amp; last" in page.partition('id="changed"')[2][:400]
    picture = httpx2.get(gateway.url + html.unescape(shown[1]))
    assert picture.headers["content-type"] == "image/png"
    assert picture.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in picture.headers["content-security-policy"]
    assert picture.content.startswith(b"\x89PNG")
    nowhere = f"{gateway.url}/sessions/{session}/apps/{app}/picture"
    assert httpx2.get(nowhere, params={"name": "third"}).status_code == 404
    assert httpx2.get(nowhere, params={"name": "first", "at": 2}).status_code == 404


def test_data_that_only_claims_to_be_a_picture_is_not_shown(gateway: Gateway, session: str) -> None:
    _put(gateway, session, "puppeteer", screenshot=[{"name": "p", "data": "PHN2ZyB4bWxucz0i", "at": 1}])
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/puppeteer/picture", params={"name": "p"})
    assert answer.status_code == 404
    assert "image" not in answer.headers["content-type"]


def test_recordings_and_awaited_responses_are_listed_below_the_window(gateway: Gateway, session: str) -> None:
    start = call(gateway, session, "playwright", "start_codegen_session", options={"outputPath": "/home/agent"})
    assert start["ok"], start
    _do(gateway, session, "playwright", "navigate", url="http://ferry.test/")
    _do(gateway, session, "playwright", "expect_response", id="booked", url="**/book")
    words = _words(_page(gateway, session, "playwright"))
    assert "● goes on" in words
    assert "playwright_navigate url: http://ferry.test/" in words
    assert "booked **/book: not yet" in words


@pytest.mark.parametrize(
    "log",
    [
        "[]",
        '[["load", {}]]',
        '[["no such thing", 1]]',
        "[1]",
        '[["load"]]',
        '[["evaluate", {"script": "1", "mode": 7}]]',
    ],
)
def test_an_invalid_log_is_reported(gateway: Gateway, session: str, log: str) -> None:
    tab = {"id": "t", "browser": "b", "url": _HOSTILE, "history": [], "log": log}
    _put(gateway, session, "puppeteer", browser=[{"session": "b", "current_tab": "t"}], tab=[tab])
    assert "The page cannot be shown: its log is none that a browser wrote." in _page(gateway, session, "puppeteer")


def test_an_invalid_colour_is_black_and_words_of_a_line_are_one_text() -> None:
    page = {
        "html": '<p>One two <b>three</b></p><p style="color: url(#a)">four</p>', "url": "http://a.test/", "plain": False,
        "seed": [1, 1, 1, 1], "viewport": {"width": 640, "height": 400}, "agent": "", "cookies": [], "storage": [],
        "session": [], "referrer": "", "length": 1,
    }  # fmt: skip
    sight = seen(json.dumps([["load", page], ["loaded", None], ["size", {"width": 320, "height": 200}]]))
    assert [(t.words, t.bold) for t in sight.texts] == [("One two", False), ("three", True), ("four", False)]
    assert {t.colour for t in sight.texts} == {"rgb(0, 0, 0)", "#000000"}
    assert (sight.width, sight.fold) == (320, 200)
    with pytest.raises(Unseen):
        seen("{}")


def test_every_object_on_the_page_has_a_place() -> None:
    nowhere: Any = None
    for app in _APPS:
        view = load_view(app)
        assert view is not None
        assert view.place(nowhere, "tab", {"id": "t"}) == {"tab": "t"}
        assert view.place(nowhere, "screenshot", {"name": "s"}) == {"screenshot": "s"}
        assert view.place(nowhere, "console", {"id": "c"}) == {}
        assert view.place(nowhere, "page", {"url": "http://a.test/"}) is None
